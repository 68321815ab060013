/// @file koenig.cpp   All-to-all scatter on the hypercube with all ports and without combining (model.md section 7).
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/cube_crossings.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all scatter in messages of one packet.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, all ports, full duplex ports and links, combining or not
/// Gives     node v holds the packets addressed to v
/// Costs     rounds N / 2, as many packets volume: the least without combining, all channels are busy in all rounds
/// Idea      A packet to the node at relative address v crosses each dimension of v once, in any order. A colouring of the
///           edges between addresses and dimensions says in which round.
/// Source    Koenig 1916; the rounds of Bertsekas et al. 1991; model.md section 7
Program alltoall_by_colours(Node& self, const Hypercube& cube, const CubePlan& plan) {
    const std::uint64_t m = self.collective().packets_each;
    for (const std::vector<Crossing>& round : plan) {
        for (const Crossing& crossing : round) {
            const auto origin = static_cast<std::uint32_t>(self.id() ^ crossing.crossed);
            const auto target = static_cast<std::uint32_t>(origin ^ crossing.address);
            const PacketSet packets = packets_between({origin}, {target}, m);
            co_await self.pass(cube.port(crossing.dimension), packets);
        }
        for (const Crossing& crossing : round) co_await self.receive(cube.port(crossing.dimension));
    }
}

std::optional<std::string> misfit_alltoall_koenig(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    return misfit_cube_plan(machine, options);
}

Start make_alltoall_koenig(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    const auto plan = std::make_shared<const CubePlan>(koenig_plan(cube->dimensions()));
    return {[topology = machine.topology, cube, plan](Node& self) { return alltoall_by_colours(self, *cube, *plan); },
            {},
            true};
}

ExpectedCost expect_alltoall_koenig(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    constexpr std::uint64_t largest = 28;  // beyond, n 2^(2n-1) exceeds 64 bits
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t rounds = nodes / 2;
    ExpectedCost cost{rounds, std::nullopt, rounds, rounds, {}};
    cost.derivation.push_back(fmt::format("{} addresses have a dimension, and one of them crosses it in each round: {}",
                                          rounds, counted(rounds, "round")));
    if (n <= largest) {
        cost.work = nodes * n * rounds;
        cost.derivation.push_back(
            fmt::format("every node sends through every port in every round: work {} * {} * {} = {}", nodes, n, rounds,
                        *cost.work));
    }
    cost.derivation.push_back(fmt::format("every message is one packet: volume {}", counted(rounds, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_koenig() {
    return {{
        .operation = Operation::alltoall,
        .name = "koenig",
        .rule =
            "in each round the packets of one relative address cross each dimension, planned as a colouring of edges",
        .needs = "hypercube, SF or WH, all ports, full duplex ports and links, not pairwise",
        .cost = "N/2 rounds and packets volume, the least without combining; work n N^2/2",
        .source = "Koenig 1916; Bertsekas et al. 1991; model section 7",
        .misfit = misfit_alltoall_koenig,
        .make = make_alltoall_koenig,
        .expect = expect_alltoall_koenig,
        .plan =
            [](const Machine& machine, const Collective&) {
                const auto nodes = static_cast<double>(machine.topology->nodes());
                return cube_plan_size(nodes / 2 * machine.topology->max_degree());
            },
        .single_links = true,
        .single_packets = true,
    }};
}

}  // namespace kport
