/// @file koenig.cpp   All-to-all scatter in single packets, by a colouring: on the hypercube with all ports (model.md section 7), and
///                    on the complete graph with one port where counts differ.
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/bipartite_colouring.hpp"
#include "algorithms/support/cube_crossings.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/complete.hpp"

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

bool is_complete_for_koenig(const Machine& machine) {
    return dynamic_cast<const Complete*>(machine.topology.get()) != nullptr;
}

/// The most packets that a node sends, or receives.
std::uint64_t largest_degree(const Counts& counts) {
    std::uint64_t degree = 0;
    for (NodeId v = 0; v < counts.nodes(); ++v) degree = std::max({degree, counts.row_sum(v), counts.column_sum(v)});
    return degree;
}

/// All-to-all scatter of different counts.
///
/// Machine   complete graph, store-and-forward or wormhole, 1-port, full duplex ports and links, combining or not
/// Gives     node v holds the packets addressed to v
/// Costs     h rounds and packets volume, h the most packets that a node sends or receives: the least without combining
/// Idea      Each packet is an edge from its sender to its receiver; h colours do, of which no two edges at a node have one. Each
///           colour is a round.
/// Source    Koenig 1916
Schedule coloured_packets(const Machine& machine, const Collective& collective) {
    const Counts& counts = *collective.counts;
    const NodeId nodes = counts.nodes();
    BipartiteColouring colours(nodes, largest_degree(counts));
    for (NodeId u = 0; u < nodes; ++u)
        for (NodeId v = 0; v < nodes; ++v)
            for (std::uint32_t j = 0; j < counts.of(u, v); ++j) colours.add(u, v);
    std::vector<std::uint32_t> sent(nodes * nodes);
    Schedule plan;
    for (std::uint64_t colour = 0; colour < colours.colours(); ++colour)
        for (NodeId u = 0; u < nodes; ++u) {
            const NodeId v = colours.receiver(u, colour);
            if (v == BipartiteColouring::none) continue;
            const auto row = static_cast<std::uint32_t>(u * collective.packets_each + sent[u * nodes + v]++);
            const PacketBlock packet{static_cast<std::uint32_t>(v), 1, 1, row};
            const Port port = machine.topology->port_to(u, v);
            plan.add(static_cast<Round>(colour + 1), {u, v, {&port, 1}, {&packet, 1}});
        }
    return plan;
}

std::optional<std::string> misfit_koenig_of_counts(const Machine& machine, const Counts& counts,
                                                   const AlgorithmOptions& options) {
    constexpr double messages_max = 1 << 24;
    constexpr double ends_max = 1 << 26;  // of colours, at all nodes
    const double ends = static_cast<double>(largest_degree(counts)) * static_cast<double>(counts.nodes());
    const bool fits = static_cast<double>(counts.total()) <= messages_max && ends <= ends_max;
    return first_of({needs_one_port(machine), needs_full_duplex(machine), needs_full_links(machine),
                     needs_partners(machine), takes_no_options(options),
                     planned_where(fits, "at most 2^24 packets and 2^26 colours of nodes are listed")});
}

std::optional<std::string> misfit_alltoall_koenig(const Machine& machine, const Collective& collective,
                                                  const AlgorithmOptions& options) {
    if (is_complete_for_koenig(machine) && collective.counts != nullptr)
        return misfit_koenig_of_counts(machine, *collective.counts, options);
    return misfit_cube_plan(machine, options);
}

Start make_alltoall_koenig(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr) return following(coloured_packets(machine, collective), machine, collective);
    const Hypercube* cube = as_hypercube(machine);
    const auto plan = std::make_shared<const CubePlan>(koenig_plan(cube->dimensions()));
    return {[topology = machine.topology, cube, plan](Node& self) { return alltoall_by_colours(self, *cube, *plan); },
            {},
            true};
}

ExpectedCost expect_koenig_of_counts(const Counts& counts) {
    const std::uint64_t h = largest_degree(counts);
    return {h,
            counts.total(),
            h,
            h,
            {fmt::format("a node sends or receives {}, one a round: {}, volume {}", counted(h, "packet"),
                         counted(h, "round"), counted(h, "packet")),
             fmt::format("each packet crosses one link: work {}", counts.total())}};
}

ExpectedCost expect_alltoall_koenig(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr) return expect_koenig_of_counts(*collective.counts);
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
        .needs = "hypercube, SF or WH, all ports; with counts that differ complete graph, 1-port; full duplex ports "
                 "and links, not "
                 "pairwise",
        .cost = "N/2 rounds and packets volume, the least without combining; work n N^2/2; of counts h, the most "
                "packets of a node",
        .source = "Koenig 1916; Bertsekas et al. 1991; model section 7",
        .misfit = misfit_alltoall_koenig,
        .make = make_alltoall_koenig,
        .expect = expect_alltoall_koenig,
        .plan =
            [](const Machine& machine, const Collective&) {
                const auto nodes = static_cast<double>(machine.topology->nodes());
                if (is_complete_for_koenig(machine)) return PlanSize{};
                return cube_plan_size(nodes / 2 * machine.topology->max_degree());
            },
        .knows_counts = is_complete_for_koenig,
        .single_links = true,
        .single_packets = true,
    }};
}

}  // namespace kport
