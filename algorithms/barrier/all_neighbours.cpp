/// @file all_neighbours.cpp   The barrier with all ports: every node signals to all its neighbours.
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

constexpr NodeId nodes_of_barrier_max = 4096;  // the diameter of any graph is found by a search from each node

/// Barrier on any graph.
///
/// Machine   any graph, store-and-forward or wormhole, all ports, full duplex ports and links
/// Gives     every node knows that all have entered
/// Costs     rounds and path sum D, the diameter; work D times the channels
/// Idea      In each of D rounds every node tells all neighbours which nodes it knows to have entered.
/// Proof     After t rounds a node has heard of all at distance t; from the farthest nothing comes sooner than in D rounds.
/// Source    the proof
Program signal_to_all_neighbours(Node& self, Hops diameter) {
    PacketSet entered = PacketSet::range(self.id(), self.id() + 1);
    for (Hops round = 0; round < diameter; ++round) {
        const PacketSet known = entered;
        for (Port port = 0; port < self.topology().ports(); ++port)
            if (self.neighbour(port) != no_node) co_await self.send(port, known);
        for (Port port = 0; port < self.topology().ports(); ++port) {
            if (self.neighbour(port) == no_node) continue;
            const Arrival signal = co_await self.receive(port);
            entered.include(signal.packets());
        }
    }
}

std::optional<std::string> misfit_all_neighbours(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of({needs_all_ports(machine), needs_full_duplex(machine), needs_full_links(machine),
                     planned_where(machine.topology->nodes() <= nodes_of_barrier_max, "there are at most 4096 nodes"),
                     takes_no_options(options)});
}

Start make_all_neighbours(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hops diameter = machine.topology->diameter();
    return {[diameter](Node& self) { return signal_to_all_neighbours(self, diameter); }, {}, true};
}

ExpectedCost expect_all_neighbours(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hops diameter = machine.topology->diameter();
    const std::uint64_t channels = machine.topology->channels();
    return {diameter,
            diameter * channels,
            diameter,
            0,
            {fmt::format("signals of the farthest node come in {}: the diameter", counted(diameter, "round")),
             fmt::format("one message over every channel in each: work {} * {} = {}", diameter, channels,
                         diameter * channels)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_barrier_all_neighbours() {
    return {{
        .operation = Operation::barrier,
        .name = "all-neighbours",
        .rule = "in each of D rounds every node tells all neighbours which nodes have entered",
        .needs = "any graph of at most 4096 nodes, SF or WH, all ports, full duplex ports and links, not pairwise",
        .cost = "D rounds: the least; work D times the channels",
        .source = "distance",
        .misfit = misfit_all_neighbours,
        .make = make_all_neighbours,
        .expect = expect_all_neighbours,
        .single_links = true,
    }};
}

}  // namespace kport
