/// @file ring_per_dimension.cpp   All-to-all broadcast on tori: a ring per dimension (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on a torus, one dimension after the other.
///
/// Machine   torus, ring, store-and-forward or wormhole, any k, full duplex ports or two, combining
/// Gives     every node holds all N packets
/// Costs     rounds and path sum sum (n_i - 1), work N sum (n_i - 1), volume N - 1 packets
/// Idea      Along each dimension all packets of a node go around its ring as one bundle: send it to the next node, then
///           always the bundle that came last. The last dimension comes first, so bundles are runs of node numbers.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2.2; model.md section 7
Program allgather_by_rings(Node& self, const Grid& torus) {
    PacketSet held = packets_of(PacketSet::range(self.id(), self.id() + 1), self.collective().packets_each);
    for (int d = torus.dimensions(); d-- > 0;) {
        const RingWay way(torus, d, self.id(), Direction::forward);
        PacketSet latest = held;
        for (NodeId round = 1; round < way.size(); ++round) {
            co_await self.send(way.out(), latest);
            const Arrival arrival = co_await self.receive(way.in());
            latest = arrival.packets();
            held.add(latest);
        }
    }
}

std::optional<std::string> misfit_allgather_ring_per_dimension(const Machine& machine, const Collective&,
                                                               const AlgorithmOptions& options) {
    return first_of({needs_torus(machine), needs_send_beside_receive(machine), needs_way_around(machine),
                     needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

Start make_allgather_ring_per_dimension(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* torus = as_grid(machine);
    return {[topology = machine.topology, torus](Node& self) { return allgather_by_rings(self, *torus); }, {}, true};
}

ExpectedCost expect_allgather_ring_per_dimension(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid& torus = *as_grid(machine);
    const NodeId nodes = torus.nodes();
    ExpectedCost cost;
    std::uint64_t bundle = 1;
    for (int d = torus.dimensions(); d-- > 0;) {
        const NodeId side = torus.side(d);
        cost.derivation.push_back(fmt::format("dimension {}, rings of {}: {} rounds, bundles of {} packet{}", d, side,
                                              side - 1, bundle, bundle == 1 ? "" : "s"));
        bundle *= side;
    }
    const std::uint64_t rounds = ring_rounds(torus);
    cost.rounds = cost.path_sum = rounds;
    cost.work = nodes * rounds;
    cost.volume = nodes - 1;
    cost.derivation.push_back(fmt::format("one message a node and round, over one link: {} rounds, work {} * {} = {}",
                                          rounds, nodes, rounds, *cost.work));
    cost.derivation.push_back(
        fmt::format("every node receives each of the other {} packets once, as many as all others in every round: "
                    "volume {} packets; Kumar's 2 t_s (sqrt p - 1) + t_w m (p - 1) on a square",
                    nodes - 1, nodes - 1));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_ring_per_dimension() {
    return {{
        .operation = Operation::allgather,
        .name = "ring-per-dimension",
        .rule = "each node sends all its packets around the ring of each dimension in turn",
        .needs = "torus, ring, SF or WH, any k, full duplex or two ports, not pairwise, combining",
        .cost = "sum of n_i - 1 rounds, work N times the rounds, volume N-1 packets",
        .source = "Kumar et al. ch. 4.2.2; model section 7",
        .misfit = misfit_allgather_ring_per_dimension,
        .make = make_allgather_ring_per_dimension,
        .expect = expect_allgather_ring_per_dimension,
    }};
}

}  // namespace kport
