/// @file rotations.cpp   All-to-all broadcast on the hypercube with all ports and without combining (model.md section 7).
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/cube_crossings.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast in messages of one packet.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, all ports, full duplex ports and links, combining or not
/// Gives     every node holds all N packets
/// Costs     rounds ceil((N - 1) / n), as many packets volume: the least of both; work N (N - 1)
/// Idea      The packet of origin s comes to s xor v, for each word v, across one dimension of v, from the word without it.
///           Groups of n words with the dimensions 0, 1, ..., n-1 are a round: each node uses each port once.
/// Source    Bertsekas, Ozveren, Stamoulis, Tseng, Tsitsiklis 1991; model.md section 7
Program allgather_by_rotations(Node& self, const Hypercube& cube, const CubePlan& plan) {
    const std::uint64_t m = self.collective().packets_each;
    for (const std::vector<Crossing>& round : plan) {
        for (const Crossing& crossing : round) {
            const NodeId origin = self.id() ^ crossing.crossed;
            const PacketSet packets = packets_of(PacketSet::range(origin, origin + 1), m);
            co_await self.send(cube.port(crossing.dimension), packets);
        }
        for (const Crossing& crossing : round) co_await self.receive(cube.port(crossing.dimension));
    }
}

std::optional<std::string> misfit_allgather_rotations(const Machine& machine, const Collective&,
                                                      const AlgorithmOptions& options) {
    if (auto why = misfit_cube_plan(machine, options)) return why;
    return unless(as_hypercube(machine)->dimensions() <= rotations_max, "needs a hypercube of at most 16 dimensions");
}

Start make_allgather_rotations(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    const auto plan = std::make_shared<const CubePlan>(rotations_plan(cube->dimensions()));
    return {
        [topology = machine.topology, cube, plan](Node& self) { return allgather_by_rotations(self, *cube, *plan); },
        {},
        true};
}

ExpectedCost expect_allgather_rotations(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const std::uint64_t others = machine.topology->nodes() - 1;
    const auto n = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(as_hypercube(machine)->dimensions()));
    const std::uint64_t rounds = (others + n - 1) / n;
    return {rounds,
            (others + 1) * others,
            rounds,
            rounds,
            {fmt::format("each node receives {}, {} a round: ceil({} / {}) = {}", counted(others, "packet"), n, others,
                         n, counted(rounds, "round")),
             fmt::format("every message is one packet over one link: volume {}, work {} * {} = {}",
                         counted(rounds, "packet"), others + 1, others, (others + 1) * others)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_rotations() {
    return {{
        .operation = Operation::allgather,
        .name = "rotations",
        .rule = "each round n relative addresses, one across each dimension, get the packet of every origin",
        .needs = "hypercube of at most 16 dimensions, SF or WH, all ports, full duplex ports and links, not pairwise",
        .cost = "ceil((N-1)/n) rounds and packets volume, the least without combining; work N(N-1)",
        .source = "Bertsekas et al. 1991; model section 7",
        .misfit = misfit_allgather_rotations,
        .make = make_allgather_rotations,
        .expect = expect_allgather_rotations,
        .plan = [](const Machine& machine,
                   const Collective&) { return cube_plan_size(static_cast<double>(machine.topology->nodes())); },
        .single_links = true,
        .single_packets = true,
    }};
}

}  // namespace kport
