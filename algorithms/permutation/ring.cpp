/// @file ring.cpp   Circular shift on a ring.
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Circular shift on a ring: the packets of node v go to v + Q, modulo N.
///
/// Machine   ring, store-and-forward or wormhole, any k, full duplex ports or two; combining where nodes have several packets
/// Gives     every node holds the packets of the node Q numbers before it
/// Costs     rounds and path sum d = min(Q, N - Q), work N d, volume M d packets
/// Idea      All packets go the shorter way round, forth if both are equal: pass on what came last.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.6
Program shift_around(Node& self, const Grid& ring, NodeId by, std::uint64_t packets) {
    const NodeId steps = std::min(by, ring.nodes() - by);
    const RingWay way(ring, 0, self.id(), steps == by ? Direction::forward : Direction::backward);
    PacketSet latest = packets_of({static_cast<std::uint32_t>(self.id())}, packets);
    for (NodeId round = 1; round <= steps; ++round) {
        co_await self.pass(way.out(), latest);
        const Arrival arrival = co_await self.receive(way.in());
        latest = arrival.packets();
    }
}

std::optional<std::string> misfit_permutation_ring(const Machine& machine, const Collective& collective,
                                                   const AlgorithmOptions& options) {
    return first_of({needs_ring(machine),
                     unless(collective.permutation.kind == Permutation::Kind::shift, "needs permutation shift:Q"),
                     needs_send_beside_receive(machine), needs_way_around(machine), needs_table(machine),
                     takes_no_options(options)});
}

Start make_permutation_ring(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Grid* ring = as_grid(machine);
    return {[topology = machine.topology, ring, by = collective.permutation.by,
             packets = collective.packets_each](Node& self) { return shift_around(self, *ring, by, packets); },
            {},
            true};
}

ExpectedCost expect_permutation_ring(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const NodeId by = collective.permutation.by;
    const std::uint64_t steps = std::min(by, nodes - by);
    const std::uint64_t m = collective.packets_each;
    return {steps,
            nodes * steps,
            steps,
            m * steps,
            {fmt::format("the shorter way round has min({}, {}) = {}: {}", by, nodes - by, counted(steps, "step"),
                         counted(steps, "round")),
             fmt::format("every node sends over one link in each: work {} * {} = {}, volume {}", nodes, steps,
                         nodes * steps, counted(m * steps, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_ring() {
    return {{
        .operation = Operation::permutation,
        .name = "ring",
        .rule = "all packets go the shorter way round, a step a round",
        .needs = "ring, a shift, SF or WH, any k, full duplex or two ports, not pairwise",
        .cost = "d = min(Q, N-Q) rounds, work N d, volume M d packets",
        .source = "Kumar et al. ch. 4.6",
        .misfit = misfit_permutation_ring,
        .make = make_permutation_ring,
        .expect = expect_permutation_ring,
        .single_links = true,
    }};
}

}  // namespace kport
