/// @file farthest_first.cpp   The best order on the shortest-path tree (model.md section 3.3).
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
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

/// Returns the shortest-path tree, where some nodes only pass packets on without subtrees that have no member.
SpanningTree tree_to_members(const Machine& machine, const Collective& collective) {
    SpanningTree tree(*machine.topology, collective.root);
    if (collective.members != nullptr) tree.keep_ways_to([&](NodeId v) { return collective.members->has(v); });
    return tree;
}

Start make_broadcast_farthest_first(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto tree = std::make_shared<SpanningTree>(tree_to_members(machine, collective));
    const std::uint64_t b = tree->order_farthest_first(std::max<Port>(1, machine.widest()));
    const Copies copies(machine, collective);
    return {[tree, copies, apart = start_apart(machine, copies.messages()) ? b : 0](Node& self) {
                return broadcast_farthest_first(self, tree->children(self.id()), tree->source(), copies, apart);
            },
            {collective.root}};
}

/// Returns the most children of any node; nothing if that node is not the source and has more than it can serve in a
/// round.
std::optional<std::uint64_t> most_children(const SpanningTree& tree, NodeId nodes, Port ports) {
    std::size_t most = 0;
    for (NodeId v = 0; v < nodes; ++v) most = std::max(most, tree.children(v).size());
    const bool tells = most <= ports || tree.children(tree.source()).size() == most;
    return tells ? std::optional<std::uint64_t>(most) : std::nullopt;
}

/// Returns the height of a node's subtree.
std::uint64_t height_below(const SpanningTree& tree, NodeId v) {
    std::uint64_t height = 0;
    for (std::vector<NodeId> level{v};; ++height) {
        std::vector<NodeId> next;
        for (const NodeId each : level) next.insert(next.end(), tree.children(each).begin(), tree.children(each).end());
        if (next.empty()) return height;
        level = std::move(next);
    }
}

/// Returns the rounds of `packets` packets if only the source has more children than the k ports; nothing otherwise. It
/// sends packet by packet to its c children in order. Any k consecutive sends go to different children, since k < c, so
/// k leave in each round, that of packet j to child i in round floor((j c + i) / k) + 1. A child receives at most one
/// packet a round, and it and all nodes below forward what came to all children in the next round, since these are k at
/// most. So there is no queue, a packet goes down a level a round, and the last one is the last at every node.
std::optional<std::uint64_t> rounds_through_source(const SpanningTree& tree, NodeId nodes, Port ports,
                                                   std::uint64_t packets) {
    const auto children = tree.children(tree.source());
    if (children.size() <= ports) return std::nullopt;
    for (NodeId v = 0; v < nodes; ++v)
        if (v != tree.source() && tree.children(v).size() > ports) return std::nullopt;
    std::uint64_t rounds = 0;
    for (std::size_t i = 0; i < children.size(); ++i)
        rounds = std::max(rounds, ((packets - 1) * children.size() + i) / ports + 1 + height_below(tree, children[i]));
    return rounds;
}

ExpectedCost expect_broadcast_farthest_first(const Machine& machine, const Collective& collective,
                                             const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    SpanningTree tree = tree_to_members(machine, collective);
    const std::uint64_t links = tree.nodes().size() - 1;
    const Port ports = std::max<Port>(1, machine.widest());
    const std::uint64_t b = tree.order_farthest_first(ports);
    const std::uint64_t messages = Copies(machine, collective).messages();
    return in_turn({b,
                    links,
                    b,
                    b,
                    {fmt::format("b(v) = max over the children c_i by decreasing b of floor(i/k) + 1 + b(c_i), k = {}",
                                 machine.ports.text()),
                     fmt::format("from the leaves up this gives b = {} at the source: {}", b, counted(b, "round")),
                     fmt::format("every node {}but the source receives once, over one link: work {}",
                                 collective.members == nullptr ? "" : "on the way to a member ", links)}},
                   machine, messages, messages == 1 ? std::nullopt : most_children(tree, nodes, machine.widest()),
                   messages == 1 ? std::nullopt : rounds_through_source(tree, nodes, ports, messages));
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
            .knows_relays = true,
            .single_links = true,
        },
        Operation::reduce);
}

}  // namespace kport
