/// @file chain.cpp   Broadcast of M packets along a row of nodes (long-messages.md section 4.1).
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/timetable.hpp"

namespace kport {

namespace {

/// One-to-all broadcast of M packets, each node passing them on to the next.
///
/// Machine   complete graph, ring, any k; line, 1-port; full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     rounds M + N - 2; line with arms a >= b > 0: max(M - 1 + a, 2M - 1 + b); work M (N - 1)
/// Idea      Positions 0, 1, .., N-1 stand in a row. On a line all packets go into the longer arm, upwards if they are equal,
///           then all into the other.
/// Source    long-messages.md section 4.1
Program broadcast_along_row(Node& self, NodeId source, std::array<NodeId, 2> next, std::uint64_t packets) {
    if (next[0] == no_node && self.id() != source)
        for (PacketId j = 0; j < packets; ++j) co_await self.receive();
    for (const NodeId neighbour : next)
        for (PacketId j = 0; j < packets && neighbour != no_node; ++j) {
            if (self.id() != source) co_await self.receive();
            co_await self.send_to(neighbour, Packet(j));
        }
}

bool is_line(const Grid* grid) { return grid != nullptr && grid->dimensions() == 1 && !grid->wraps(); }

/// The nodes to which v sends, one after the other.
std::array<NodeId, 2> next_of(const Topology& topology, NodeId source, NodeId v) {
    const NodeId nodes = topology.nodes();
    if (!is_line(dynamic_cast<const Grid*>(&topology))) {
        const NodeId next = (v + 1) % nodes;
        return {next == source ? no_node : next, no_node};
    }
    const NodeId above = v + 1 < nodes && v >= source ? v + 1 : no_node;
    const NodeId below = v > 0 && v <= source ? v - 1 : no_node;
    const bool upwards_first = nodes - 1 - source >= source;
    if (v != source) return {above != no_node ? above : below, no_node};
    if (above == no_node || below == no_node) return {above != no_node ? above : below, no_node};
    return upwards_first ? std::array{above, below} : std::array{below, above};
}

std::optional<std::string> misfit_broadcast_chain(const Machine& machine, const Collective& collective,
                                                  const AlgorithmOptions& options) {
    const bool on_line = is_line(as_grid(machine));
    return first_of(
        {unless(on_line || !needs_ring(machine) || !needs_complete(machine), "needs a complete graph, ring or line"),
         on_line ? needs_one_port(machine) : std::nullopt, needs_stream(machine, collective),
         takes_no_options(options)});
}

Start make_broadcast_chain(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    return {[topology = machine.topology, source, packets = collective.packets_each](Node& self) {
                return broadcast_along_row(self, source, next_of(*topology, source, self.id()), packets);
            },
            {source}};
}

ExpectedCost expect_broadcast_chain(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    if (nodes == 1) return single_packet_cost(machine, collective, 0, {});
    if (!is_line(as_grid(machine)))
        return single_packet_cost(machine, collective, m + nodes - 2,
                                  {fmt::format("the first packet arrives at the last of {} nodes in round {}, the "
                                               "others one a round: {} rounds",
                                               nodes, nodes - 1, m + nodes - 2)});
    const std::uint64_t longer = std::max(collective.root, nodes - 1 - collective.root);
    const std::uint64_t shorter = nodes - 1 - longer;
    const std::uint64_t rounds = std::max(m - 1 + longer, shorter == 0 ? 0 : 2 * m - 1 + shorter);
    return single_packet_cost(
        machine, collective, rounds,
        {fmt::format("{} packets go into the arm of {} nodes, then into the other of {}: max({} - 1 "
                     "+ {}, 2 * {} - 1 + {}) = {} rounds",
                     m, longer, shorter, m, longer, m, shorter, rounds)});
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_chain() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "chain",
            .rule =
                "each node passes the packets on to the next in a row; on a line all into the longer arm, then into "
                "the other",
            .needs = "complete graph, ring, any k; line, 1-port; SF or WH, full duplex, not pairwise",
            .cost = "M+N-2 rounds; line with arms a >= b > 0: max(M-1+a, 2M-1+b)",
            .source = "long-messages section 4.1",
            .misfit = misfit_broadcast_chain,
            .make = make_broadcast_chain,
            .expect = expect_broadcast_chain,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
