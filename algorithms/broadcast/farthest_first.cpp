/// @file farthest_first.cpp   The best order on the shortest-path tree (model.md section 3.3).
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all broadcast along the shortest-path tree, the child that needs the longest first.
///
/// Machine   any graph, store-and-forward or wormhole, any k
/// Gives     every node holds the source's packet
/// Costs     rounds b(s), where b(v) = max over the children c_0, c_1, ... by decreasing b of floor(i/k) + 1 + b(c_i);
///           work N - 1. On a tree this is the exact optimum.
/// Idea      A child that starts early works while the others wait: the child with the most work starts first.
///           Without combining packets follow one another; on half duplex and pairwise machines one starts every b(s) rounds.
/// Source    Slater, Cockayne, Hedetniemi, SIAM J. Comput. 10 (1981) for k = 1; model.md section 3.3 for any k
Program broadcast_farthest_first(Node& self, std::span<const std::uint32_t> children, NodeId source,
                                 const Copies& copies, std::uint64_t apart) {
    for (std::uint64_t j = 0; j < copies.messages(); ++j) {
        if (self.id() != source)
            co_await self.receive();
        else if (apart > 0)
            co_await self.until(static_cast<Round>(j * apart + 1));
        for (const NodeId child : children) co_await self.send_to(child, copies.message(j));
    }
}

std::optional<std::string> misfit_broadcast_farthest_first(const Machine& machine, const Collective&,
                                                           const AlgorithmOptions& options) {
    return first_of({needs_table(machine), takes_no_options(options)});
}

Start make_broadcast_farthest_first(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto tree = std::make_shared<SpanningTree>(*machine.topology, collective.root);
    const std::uint64_t b = tree->order_farthest_first(std::max<Port>(1, machine.widest()));
    const Copies copies(machine, collective);
    return {[tree, copies, apart = start_apart(machine, copies.messages()) ? b : 0](Node& self) {
                return broadcast_farthest_first(self, tree->children(self.id()), tree->source(), copies, apart);
            },
            {collective.root}};
}

/// The most that any node has; nothing where that is not the source, and more than a node serves in a round.
std::optional<std::uint64_t> most_children(const SpanningTree& tree, NodeId nodes, Port ports) {
    std::size_t most = 0;
    for (NodeId v = 0; v < nodes; ++v) most = std::max(most, tree.children(v).size());
    const bool tells = most <= ports || tree.children(tree.source()).size() == most;
    return tells ? std::optional<std::uint64_t>(most) : std::nullopt;
}

ExpectedCost expect_broadcast_farthest_first(const Machine& machine, const Collective& collective,
                                             const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    SpanningTree tree(*machine.topology, collective.root);
    const std::uint64_t b = tree.order_farthest_first(std::max<Port>(1, machine.widest()));
    return in_turn({b,
                    nodes - 1,
                    b,
                    b,
                    {fmt::format("b(v) = max over the children c_i by decreasing b of floor(i/k) + 1 + b(c_i), k = {}",
                                 machine.ports.text()),
                     fmt::format("from the leaves up this gives b = {} at the source: {}", b, counted(b, "round")),
                     fmt::format("every node but the source receives once, over one link: work {}", nodes - 1)}},
                   machine, Copies(machine, collective).messages(),
                   collective.packets_each == 1 ? std::nullopt : most_children(tree, nodes, machine.widest()));
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_farthest_first() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "farthest-first",
            .rule = "along the shortest-path tree, serving first the child whose subtree needs the longest",
            .needs = "any graph, SF or WH, any k",
            .cost = "b(s) rounds, the minimum on this tree; the exact minimum if the graph is a tree",
            .source = "Slater, Cockayne, Hedetniemi 1981; model section 3.3",
            .misfit = misfit_broadcast_farthest_first,
            .make = make_broadcast_farthest_first,
            .expect = expect_broadcast_farthest_first,
            .table_bytes_per_node = SpanningTree::bytes_per_node,
            .with_many = WithMany::apart,
            .single_links = true,
        },
        Operation::reduce);
}

}  // namespace kport
