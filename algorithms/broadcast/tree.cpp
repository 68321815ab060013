/// @file tree.cpp   Broadcast of M packets down a tree in which each node has A children (model.md section 13.2).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

constexpr std::uint64_t usual_arity = 2;

/// One-to-all broadcast of M packets down a complete tree.
///
/// Machine   complete graph of N nodes, any N, any k, full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     1-port: rounds A (M - 1) + b, k >= A: M - 1 + b, where b is that of one packet; work M (N - 1)
/// Idea      Position i has the children A i + 1, .., A i + A. Each node sends every packet to all its children, in the order in
///           which packets come; the first child has the largest subtree.
/// Source    model.md section 13.2
Program broadcast_down_tree(Node& self, NodeId source, std::uint64_t arity, std::uint64_t packets) {
    const NodeId nodes = self.nodes();
    const NodeId position = (self.id() + nodes - source) % nodes;
    for (PacketId j = 0; j < packets; ++j) {
        if (position != 0) co_await self.receive();
        for (std::uint64_t child = arity * position + 1; child <= arity * position + arity && child < nodes; ++child)
            co_await self.send_to((source + child) % nodes, Packet(j));
    }
}

/// Returns the arity; more than N - 1 count as N - 1.
std::uint64_t arity_of(const AlgorithmOptions& options, NodeId nodes) {
    return std::clamp<std::uint64_t>(options.arity.value_or(usual_arity), 1, std::max<NodeId>(nodes, 2) - 1);
}

std::optional<std::string> misfit_broadcast_tree(const Machine& machine, const Collective& collective,
                                                 const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_stream(machine, collective), needs_table(machine),
                     takes_no_options(options, "arity")});
}

Start make_broadcast_tree(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    return {
        [source = collective.root, arity = arity_of(options, machine.topology->nodes()),
         packets = collective.packets_each](Node& self) { return broadcast_down_tree(self, source, arity, packets); },
        {collective.root}};
}

/// Returns b of a node (model.md section 3.3): its children are served in the order of their numbers. At most one child
/// of a node is not a perfect tree, so this takes one step for each child of each level.
std::uint64_t rounds_of_one(NodeId v, NodeId nodes, std::uint64_t arity, Port ports) {
    const auto levels_below = [&](bool last_child) {
        std::uint64_t levels = 0;
        for (NodeId at = v; (at = last_child ? arity * at + arity : arity * at + 1) < nodes;) ++levels;
        return levels;
    };
    const std::uint64_t levels = levels_below(false);
    if (levels == levels_below(true)) return levels * ((arity + ports - 1) / ports);
    std::uint64_t b = 0;
    for (std::uint64_t i = 0; i < arity && arity * v + 1 + i < nodes; ++i)
        b = std::max(b, i / ports + 1 + rounds_of_one(arity * v + 1 + i, nodes, arity, ports));
    return b;
}

ExpectedCost expect_broadcast_tree(const Machine& machine, const Collective& collective,
                                   const AlgorithmOptions& options) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t arity = arity_of(options, nodes);
    const std::uint64_t b = rounds_of_one(0, nodes, arity, std::max<Port>(1, machine.widest()));
    return in_turn({b,
                    nodes - 1,
                    b,
                    b,
                    {fmt::format("each node has {} children: one packet takes b = {}", arity, counted(b, "round")),
                     fmt::format("every node but the source receives once, over one link: work {}", nodes - 1)}},
                   machine, collective.packets_each, std::min<std::uint64_t>(arity, nodes - 1));
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_tree() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "tree",
            .rule = "each packet to both children of a binary tree, or to all A of them (--arity A)",
            .needs = "complete graph, any N, SF or WH, any k; --arity",
            .cost = "one port: A(M-1)+b rounds; A ports or more: M-1+b; b of one packet",
            .source = "model section 13.2",
            .misfit = misfit_broadcast_tree,
            .make = make_broadcast_tree,
            .expect = expect_broadcast_tree,
            .takes = "arity",
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
