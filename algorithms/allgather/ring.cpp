/// @file ring.cpp   All-to-all broadcast around the ring, one way and both ways (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"

namespace kport {

namespace {

/// All-to-all broadcast around a ring.
///
/// Machine   ring, store-and-forward or wormhole, any k, full duplex ports, combining or not
/// Gives     every node holds all N packets
/// Costs     rounds N - 1, work N (N - 1), path sum N - 1, volume N - 1 packets
/// Idea      Every node sends its own packet to the next node, then always the packet that came last.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2.1; model.md section 7
Program allgather_by_ring(Node& self, const Grid& ring) {
    const RingWay way(ring, 0, self.id(), Direction::forward);
    PacketSet latest = packets_of(PacketSet::range(self.id(), self.id() + 1), self.collective().packets_each);
    for (NodeId round = 1; round < way.size(); ++round) {
        co_await self.send(way.out(), latest);
        const Arrival arrival = co_await self.receive(way.in());
        latest = arrival.packets();
    }
}

/// All-to-all broadcast around a ring, two streams at once.
///
/// Machine   ring, store-and-forward or wormhole, two ports, full duplex, combining or not
/// Gives     every node holds all N packets
/// Costs     rounds f = floor(N / 2), work N (N - 1), path sum f, volume f packets
/// Idea      Every packet goes forward to the nodes at most N / 2 away and backward to the others.
/// Source    model.md section 7
Program allgather_by_ring_bidirectional(Node& self, const Grid& ring) {
    const RingWay forward(ring, 0, self.id(), Direction::forward);
    const RingWay backward(ring, 0, self.id(), Direction::backward);
    const Grid::Arms arms = ring.arms(0, self.id());
    PacketSet from_behind = packets_of(PacketSet::range(self.id(), self.id() + 1), self.collective().packets_each);
    PacketSet from_ahead = from_behind;
    for (NodeId round = 1; round <= arms.plus; ++round) {
        const bool both_ways = round <= arms.minus;
        co_await self.send(forward.out(), from_behind);
        if (both_ways) co_await self.send(backward.out(), from_ahead);
        const Arrival arrival = co_await self.receive(forward.in());
        from_behind = arrival.packets();
        if (!both_ways) break;
        const Arrival other = co_await self.receive(backward.in());
        from_ahead = other.packets();
    }
}

std::optional<std::string> misfit_allgather_ring(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), needs_send_beside_receive(machine), needs_way_around(machine),
                     needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_allgather_ring_both_ways(const Machine& machine, const Collective&,
                                                           const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), needs_partners(machine), needs_two_ports(machine), needs_full_duplex(machine),
                     needs_full_links(machine), needs_table(machine), takes_no_options(options)});
}

Start make_allgather_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* ring = as_grid(machine);
    return {[topology = machine.topology, ring](Node& self) { return allgather_by_ring(self, *ring); }, {}, true};
}

Start make_allgather_ring_both_ways(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* ring = as_grid(machine);
    return {[topology = machine.topology, ring](Node& self) { return allgather_by_ring_bidirectional(self, *ring); },
            {},
            true};
}

ExpectedCost expect_allgather_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t others = nodes - 1;
    return {others,
            nodes * others,
            others,
            others,
            {fmt::format("the farthest of the {} others is {} steps forward: {} rounds", others, others, others),
             fmt::format("in each of them every node sends over one link: work {} * {} = {}", nodes, others,
                         nodes * others),
             fmt::format("every message is one packet: volume {} packets, Kumar's (t_s + t_w m)(p - 1)", others)}};
}

ExpectedCost expect_allgather_ring_both_ways(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t forward = nodes / 2;
    const std::uint64_t backward = nodes - 1 - forward;
    return {forward,
            nodes * (nodes - 1),
            forward,
            forward,
            {fmt::format("{} nodes forward and {} backward at the same time: floor({} / 2) = {} rounds", forward,
                         backward, nodes, forward),
             fmt::format("every packet reaches each of {} others in a message over one link: work {} * {} = {}",
                         nodes - 1, nodes, nodes - 1, nodes * (nodes - 1)),
             fmt::format("every message is one packet: volume {} packets", forward)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_ring() {
    return {{
                .operation = Operation::allgather,
                .name = "ring-bidirectional",
                .rule = "two streams at once, to the nodes at most N/2 away forward, to the others backward",
                .needs = "ring, SF or WH, two ports, full duplex ports and links, not pairwise, combining or not",
                .cost = "floor(N/2) rounds, work N(N-1), volume floor(N/2) packets",
                .source = "model section 7",
                .misfit = misfit_allgather_ring_both_ways,
                .make = make_allgather_ring_both_ways,
                .expect = expect_allgather_ring_both_ways,
                .single_links = true,
                .single_packets = true,
            },
            {
                .operation = Operation::allgather,
                .name = "ring",
                .rule = "every node passes the packet that came last on to the next",
                .needs = "ring, SF or WH, any k, full duplex or two ports, not pairwise, combining or not",
                .cost = "N-1 rounds, work N(N-1), volume N-1 packets",
                .source = "Kumar et al. ch. 4.2.1; model section 7",
                .misfit = misfit_allgather_ring,
                .make = make_allgather_ring,
                .expect = expect_allgather_ring,
                .single_links = true,
                .single_packets = true,
            }};
}

}  // namespace kport
