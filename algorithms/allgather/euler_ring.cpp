/// @file euler_ring.cpp   All-to-all broadcast around the Euler tour of a spanning tree, on any graph (model.md section 7).
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/tour_ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast with a spanning tree as a ring.
///
/// Machine   any connected graph, wormhole, any k, full duplex ports and links, combining or not
/// Gives     every node holds all N packets
/// Costs     rounds N - 1, volume N - 1 packets, the least; work 2 (N - 1)^2: long paths are the price
/// Idea      Each node sends to the next in the preorder of the tree, the last to the first. The paths of a round walk once
///           round the tree and use each of its channels once: no contention. Every node sends its own packet, then always
///           the packet that came last.
/// Source    line-per-dimension's way back made general; model.md section 7
Program allgather_around_tour(Node& self, const EulerTour& tour) {
    const TourRing ring(tour, self.id(), self.nodes());
    const std::vector<Port> route = tour.route(self.id(), ring.next);
    PacketSet latest = packets_of(PacketSet::range(self.id(), self.id() + 1), self.collective().packets_each);
    for (NodeId round = 1; round < self.nodes(); ++round) {
        co_await self.send_along(ring.next, route, latest);
        const Arrival arrival = co_await self.receive_from(ring.previous);
        latest = arrival.packets();
    }
}

std::optional<std::string> misfit_allgather_euler_ring(const Machine& machine, const Collective&,
                                                       const AlgorithmOptions& options) {
    return misfit_tour_ring(machine, options);
}

Start make_allgather_euler_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto tour = std::make_shared<const EulerTour>(*machine.topology, 0);
    return {[topology = machine.topology, tour](Node& self) { return allgather_around_tour(self, *tour); }, {}, true};
}

ExpectedCost expect_allgather_euler_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId others = machine.topology->nodes() - 1;
    ExpectedCost cost = tour_ring_cost(machine);
    cost.volume = others;
    cost.derivation.push_back(fmt::format("every message is one packet: volume {}", counted(others, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_euler_ring() {
    return with_reversal(
        {
            .operation = Operation::allgather,
            .name = "euler-ring",
            .rule =
                "a spanning tree's preorder as a ring: each node sends on the packet that came last, along tree paths",
            .needs = "any connected graph, WH, any k, full duplex ports and links, not pairwise",
            .cost = "N-1 rounds, volume N-1 packets, work 2(N-1)^2; the longest path is measured",
            .source = "model section 7",
            .misfit = misfit_allgather_euler_ring,
            .make = make_allgather_euler_ring,
            .expect = expect_allgather_euler_ring,
            .table_bytes_per_node = EulerTour::bytes_per_node,
            .single_packets = true,
        },
        Operation::reduce_scatter);
}

}  // namespace kport
