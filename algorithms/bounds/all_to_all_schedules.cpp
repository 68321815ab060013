#include <algorithm>
#include <utility>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/schedules.hpp"
#include "emulator/topology/hamiltonian_cycle.hpp"

namespace kport::bounds {
namespace {

bool is_torus(const Facts& facts) { return facts.grid != nullptr && facts.grid->wraps(); }

/// Whether the graph is known to have a Hamiltonian cycle.
bool hamiltonian(const Facts& facts) {
    return facts.nodes >= 3 && HamiltonianCycle::of(*facts.machine.topology).has_value();
}

/// Families that are Cayley graphs; vertex-transitivity is not enough.
bool cayley(const Facts& facts) { return facts.hypercube() || facts.complete() || is_torus(facts); }

/// Every node sends one message a round.
KnownSchedule everybody(std::string name, const Facts& facts, Count rounds, std::optional<Count> packets) {
    return {std::move(name), rounds, facts.nodes * rounds, rounds, packets};
}

/// Adds the exchange between two nodes.
void add_exchange_of_two(const Facts& facts, std::vector<KnownSchedule>& known) {
    if (facts.nodes == 2 && facts.swaps) known.push_back(everybody("the exchange of two nodes", facts, 1, 1));
}

/// Allgather in messages of one packet.
void add_single_allgathers(const Facts& facts, std::vector<KnownSchedule>& known) {
    const Count others = facts.nodes - 1;
    const Count through_all = ceil_div(others, facts.ports);
    const Count copies = facts.nodes * others;
    add_exchange_of_two(facts, known);
    if (facts.complete() && facts.both_ways())
        known.push_back({"direct", through_all, copies, through_all, through_all});
    if (hamiltonian(facts) && facts.exchanges()) known.push_back(everybody("ring", facts, others, others));
    if (facts.hypercube() && facts.every_port && facts.both_ways())
        known.push_back(
            {"the multinode broadcast of Bertsekas et al. 1991", through_all, copies, through_all, through_all});
}

/// All-to-all exchange in messages of one packet.
void add_single_alltoalls(const Facts& facts, std::vector<KnownSchedule>& known) {
    const Count others = facts.nodes - 1;
    const Count through_all = ceil_div(others, facts.ports);
    const Count from_each = cayley(facts) ? distances_from(facts, 0) : 0;
    add_exchange_of_two(facts, known);
    if (facts.complete() && facts.both_ways())
        known.push_back({"direct", through_all, facts.nodes * others, through_all, through_all});
    if (cayley(facts) && facts.both_ways())
        known.push_back(everybody("the total exchange of Dimakopoulos, Dimopoulos 1998", facts, from_each, from_each));
    if (facts.hypercube() && facts.every_port && facts.both_ways())
        known.push_back({"the total exchange of Bertsekas et al. 1991", facts.nodes / 2, facts.nodes * from_each,
                         facts.nodes / 2, facts.nodes / 2});
}

/// Schedules with combining, for both operations.
void add_bundles(const Facts& facts, std::vector<KnownSchedule>& known) {
    if (facts.every_port && facts.both_ways())
        known.push_back({"flooding everything along shortest paths", facts.diameter(), {}, facts.diameter(), {}});
    known.push_back({"collecting and distributing along a tree", {}, 2 * (Count{facts.nodes} - 1), {}, {}});
}

}  // namespace

std::vector<KnownSchedule> known_allgathers(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.machine.combining) add_bundles(facts, known);
    add_single_allgathers(facts, known);
    if (!facts.machine.combining)
        known.push_back(
            {"packets one after the other along a tree", {}, Count{facts.nodes} * (facts.nodes - 1), {}, {}});
    return known;
}

std::vector<KnownSchedule> known_alltoalls(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.machine.combining) add_bundles(facts, known);
    add_single_alltoalls(facts, known);
    if (!facts.machine.combining)
        known.push_back({"packets one after the other", {}, distances_over_pairs(facts), {}, {}});
    return known;
}

}  // namespace kport::bounds
