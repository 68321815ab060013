#include <utility>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/schedules.hpp"
#include "algorithms/bounds/traffic.hpp"

namespace kport::bounds {
namespace {

bool is_ring(const Facts& facts) { return facts.grid != nullptr && facts.grid->kind() == GridKind::ring; }

bool is_torus(const Facts& facts) { return facts.grid != nullptr && facts.grid->wraps(); }

/// A torus in which every node can send to the next around each ring: in a ring of two both use one link.
bool goes_around(const Facts& facts) {
    if (!is_torus(facts) || !facts.exchanges()) return false;
    bool has_pair = false;
    for (int i = 0; i < facts.grid->dimensions(); ++i) has_pair |= facts.grid->side(i) == 2;
    return facts.full_links || !has_pair;
}

/// Sum over the dimensions of side - 1: the rounds of one ring after the other.
Count ring_rounds(const Facts& facts) {
    Count rounds = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) rounds += facts.grid->side(i) - 1;
    return rounds;
}

/// Whether the graph is known to have a cycle through all nodes: hypercubes (Gray code), tori, and grids of two or more
/// dimensions with an even number of nodes.
bool hamiltonian(const Facts& facts) {
    if (facts.nodes < 3) return false;
    if (facts.hypercube() || facts.complete() || is_torus(facts)) return true;
    if (facts.grid == nullptr || facts.nodes % 2 != 0) return false;
    int long_sides = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) long_sides += facts.grid->side(i) >= 2 ? 1 : 0;
    return long_sides >= 2;
}

/// Families that are Cayley graphs; vertex symmetry alone is not enough.
bool cayley(const Facts& facts) { return facts.hypercube() || facts.complete() || is_torus(facts); }

/// Every node sends one message a round.
Schedule everybody(std::string name, const Facts& facts, Count rounds, std::optional<Count> packets) {
    return {std::move(name), rounds, facts.nodes * rounds, rounds, packets};
}

/// One line after the other on a wormhole mesh; the last node's packets go back to the first on the opposite channels.
Schedule lines(const Facts& facts) {
    Schedule found{"line-per-dimension", ring_rounds(facts), 0, 0, facts.nodes - 1};
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const Count steps = facts.grid->side(i) - 1;
        *found.work += 2 * steps * steps * (facts.nodes / facts.grid->side(i));
        *found.path_sum += steps * steps;
    }
    return found;
}

/// Allgather in messages of one packet.
void add_single_allgathers(const Facts& facts, std::vector<Schedule>& known) {
    const Count others = facts.nodes - 1;
    const Count through_all = ceil_div(others, facts.ports);
    const Count copies = facts.nodes * others;
    if (facts.complete() && facts.both_ways())
        known.push_back({"direct exchange", through_all, copies, through_all, through_all});
    if (is_ring(facts) && facts.both_ways() && facts.ports >= 2)
        known.push_back({"ring-bidirectional", facts.diameter, copies, facts.diameter, facts.diameter});
    if (hamiltonian(facts) && facts.exchanges())
        known.push_back(everybody("ring along a cycle through all nodes", facts, others, others));
    if (facts.hypercube() && facts.every_port && facts.both_ways())
        known.push_back(
            {"the multinode broadcast of Bertsekas et al. 1991", through_all, copies, through_all, through_all});
}

/// All-to-all exchange in messages of one packet.
void add_single_alltoalls(const Facts& facts, std::vector<Schedule>& known) {
    const Count others = facts.nodes - 1;
    const Count through_all = ceil_div(others, facts.ports);
    const Count from_each = cayley(facts) ? distances_from(facts, 0) : 0;
    if (facts.complete() && facts.both_ways())
        known.push_back({"direct exchange", through_all, facts.nodes * others, through_all, through_all});
    if (facts.hypercube() && !facts.store_and_forward && facts.swaps)
        known.push_back({"pairwise", others, facts.nodes * from_each, from_each, others});
    if (cayley(facts) && facts.both_ways())
        known.push_back(everybody("the total exchange of Dimakopoulos, Dimopoulos 1998", facts, from_each, from_each));
    if (facts.hypercube() && facts.every_port && facts.both_ways())
        known.push_back({"the total exchange of Bertsekas et al. 1991", facts.nodes / 2, facts.nodes * from_each,
                         facts.nodes / 2, facts.nodes / 2});
}

/// Additional schedules with combining, for both.
void add_common_bundles(const Facts& facts, std::vector<Schedule>& known) {
    if (facts.every_port && facts.both_ways())
        known.push_back({"everything by shortest paths at once", facts.diameter, {}, facts.diameter, {}});
    known.push_back({"collecting and distributing along a tree", {}, 2 * (Count{facts.nodes} - 1), {}, {}});
}

void add_bundled_allgathers(const Facts& facts, std::vector<Schedule>& known) {
    const Count others = facts.nodes - 1;
    if (facts.hypercube() && facts.swaps) known.push_back(everybody("exchange", facts, facts.diameter, others));
    if (facts.complete() && facts.both_ways()) {
        const Count rounds = ceil_log(facts.ports + 1, facts.nodes);
        known.push_back({"bruck", rounds, {}, rounds, facts.one_port() ? std::optional(others) : std::nullopt});
    }
    if (goes_around(facts))
        known.push_back(everybody(is_ring(facts) ? "ring" : "ring-per-dimension", facts, ring_rounds(facts), others));
    if (facts.grid != nullptr && !facts.grid->wraps() && !facts.store_and_forward && facts.both_ways())
        known.push_back(lines(facts));
    add_common_bundles(facts, known);
}

void add_bundled_alltoalls(const Facts& facts, std::vector<Schedule>& known) {
    const Count n = facts.nodes;
    const Count half = facts.diameter;  // of a ring: floor(N / 2)
    if (facts.hypercube() && facts.swaps)
        known.push_back(everybody("exchange", facts, facts.diameter, facts.diameter * n / 2));
    if (facts.complete() && facts.both_ways()) {
        const Count rounds = ceil_log(facts.ports + 1, facts.nodes);
        known.push_back({"bruck", rounds, {}, rounds, {}});
    }
    if (is_ring(facts) && goes_around(facts))
        known.push_back(everybody("ring-bidirectional-serial", facts, n - 1, n * n / 4));
    if (is_ring(facts) && facts.both_ways() && facts.ports >= 2)
        known.push_back({"ring-bidirectional", half, n * (n - 1), half, half * (half + 1) / 2});
    if (goes_around(facts))
        known.push_back(everybody("ring-per-dimension", facts, ring_rounds(facts), n * ring_rounds(facts) / 2));
    add_common_bundles(facts, known);
}

}  // namespace

std::vector<Schedule> known_allgathers(const Facts& facts) {
    std::vector<Schedule> known;
    if (facts.machine.combining) add_bundled_allgathers(facts, known);
    add_single_allgathers(facts, known);
    if (!facts.machine.combining)
        known.push_back(
            {"packets one after the other along a tree", {}, Count{facts.nodes} * (facts.nodes - 1), {}, {}});
    return known;
}

std::vector<Schedule> known_alltoalls(const Facts& facts) {
    std::vector<Schedule> known;
    if (facts.machine.combining) add_bundled_alltoalls(facts, known);
    add_single_alltoalls(facts, known);
    if (!facts.machine.combining)
        known.push_back({"packets one after the other", {}, distances_over_pairs(facts), {}, {}});
    return known;
}

}  // namespace kport::bounds
