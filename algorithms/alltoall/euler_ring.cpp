/// @file euler_ring.cpp   All-to-all scatter around the Euler tour of a spanning tree, on any graph (model.md section 7).
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/tour_ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all scatter with a spanning tree as a ring.
///
/// Machine   any connected graph, wormhole, any k, full duplex ports and links, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds N - 1, volume N (N - 1) / 2 packets, work 2 (N - 1)^2
/// Idea      As allgather euler-ring: every node sends its packets to the next, which keeps its own and sends on the rest.
/// Source    model.md section 7
Program alltoall_around_tour(Node& self, const EulerTour& tour) {
    const TourRing ring(tour, self.id(), self.nodes());
    const std::vector<Port> route = tour.route(self.id(), ring.next);
    const auto me = static_cast<std::uint32_t>(self.id());
    const auto nodes = static_cast<std::uint32_t>(self.nodes());
    const std::uint64_t m = self.collective().packets_each;
    const PacketSet for_me = packets_between({0, 1, nodes}, {me}, m);
    PacketSet travelling = packets_between({me}, {0, 1, nodes}, m);
    for (NodeId round = 1; round < nodes; ++round) {
        travelling.remove(for_me);
        co_await self.pass_along(ring.next, route, travelling);
        const Arrival arrival = co_await self.receive_from(ring.previous);
        travelling = arrival.packets();
    }
}

std::optional<std::string> misfit_alltoall_euler_ring(const Machine& machine, const Collective&,
                                                      const AlgorithmOptions& options) {
    return first_of({misfit_tour_ring(machine, options), needs_combining(machine)});
}

Start make_alltoall_euler_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto tour = std::make_shared<const EulerTour>(*machine.topology, 0);
    return {[topology = machine.topology, tour](Node& self) { return alltoall_around_tour(self, *tour); }, {}, true};
}

ExpectedCost expect_alltoall_euler_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    ExpectedCost cost = tour_ring_cost(machine);
    cost.volume = nodes % 2 == 0 ? nodes / 2 * (nodes - 1) : (nodes - 1) / 2 * nodes;
    cost.derivation.push_back(fmt::format("the bundles lose a packet a round, {} + ... + 1: volume {}", nodes - 1,
                                          counted(*cost.volume, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_euler_ring() {
    return {{
        .operation = Operation::alltoall,
        .name = "euler-ring",
        .rule =
            "a spanning tree's preorder as a ring: each node keeps its own packet of a bundle and sends on the rest",
        .needs = "any connected graph, WH, any k, full duplex ports and links, not pairwise, combining",
        .cost = "N-1 rounds, volume N(N-1)/2 packets, work 2(N-1)^2; the longest path is measured",
        .source = "model section 7",
        .misfit = misfit_alltoall_euler_ring,
        .make = make_alltoall_euler_ring,
        .expect = expect_alltoall_euler_ring,
        .table_bytes_per_node = EulerTour::bytes_per_node,
    }};
}

}  // namespace kport
