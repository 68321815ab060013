#include <algorithm>
#include <utility>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/schedules.hpp"
#include "algorithms/bounds/traffic.hpp"

namespace kport::bounds {
namespace {

bool is_ring(const Facts& facts) { return facts.grid != nullptr && facts.grid->kind() == GridKind::ring; }

bool is_torus(const Facts& facts) { return facts.grid != nullptr && facts.grid->wraps(); }

/// A grid in which every node can send to the next of each line and the last to the first. Lines of two are two partners on
/// one link.
bool goes_around(const Facts& facts) {
    if (facts.grid == nullptr) return false;
    bool has_pair = false;
    bool has_more = false;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        has_pair |= facts.grid->side(i) == 2;
        has_more |= facts.grid->side(i) > 2;
    }
    return (!has_more || facts.exchanges()) && (!has_pair || facts.swaps);
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
KnownSchedule everybody(std::string name, const Facts& facts, Count rounds, std::optional<Count> packets) {
    return {std::move(name), rounds, facts.nodes * rounds, rounds, packets};
}

/// Bruck et al. 1997 on the complete graph: units of 1, k + 1, (k + 1)^2, ... nodes, a round each, in which every node sends
/// to those 1, ..., k units away; `largest` is the largest bundle of the round.
template <class Largest>
void add_bruck(const Facts& facts, const Largest& largest, std::vector<KnownSchedule>& known) {
    if (!facts.complete() || !facts.full_duplex) return;
    const Count base = Count{facts.ports} + 1;
    KnownSchedule bruck{"bruck", 0, 0, 0, 0};
    bool meets = false;  // there and back on one link
    for (Count unit = 1; unit < facts.nodes; unit *= base) {
        meets |= facts.nodes % unit == 0 && facts.nodes / unit <= Count{2} * facts.ports;
        *bruck.work += facts.nodes * std::min<Count>(facts.ports, (facts.nodes - 1) / unit);
        *bruck.packets += largest(unit, unit * base);
        ++*bruck.rounds;
    }
    bruck.path_sum = bruck.rounds;
    if (facts.full_links || !meets) known.push_back(std::move(bruck));
}

/// What two nodes do alone.
void add_exchange_of_two(const Facts& facts, std::vector<KnownSchedule>& known) {
    if (facts.nodes == 2 && facts.swaps) known.push_back(everybody("the exchange of two nodes", facts, 1, 1));
}

/// One line after the other on a wormhole mesh; the last node's packets go back to the first on the opposite channels.
KnownSchedule lines(const Facts& facts) {
    KnownSchedule found{"line-per-dimension", ring_rounds(facts), 0, 0, facts.nodes - 1};
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const Count steps = facts.grid->side(i) - 1;
        *found.work += 2 * steps * steps * (facts.nodes / facts.grid->side(i));
        *found.path_sum += steps * steps;
    }
    return found;
}

/// Allgather in messages of one packet.
void add_single_allgathers(const Facts& facts, std::vector<KnownSchedule>& known) {
    const Count others = facts.nodes - 1;
    const Count through_all = ceil_div(others, facts.ports);
    const Count copies = facts.nodes * others;
    add_exchange_of_two(facts, known);
    if (facts.complete() && facts.both_ways())
        known.push_back({"direct exchange", through_all, copies, through_all, through_all});
    if (is_ring(facts) && facts.both_ways() && facts.ports >= 2)
        known.push_back({"ring-bidirectional", facts.diameter(), copies, facts.diameter(), facts.diameter()});
    if (hamiltonian(facts) && facts.exchanges())
        known.push_back(everybody("ring along a cycle through all nodes", facts, others, others));
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
void add_common_bundles(const Facts& facts, std::vector<KnownSchedule>& known) {
    if (facts.every_port && facts.both_ways())
        known.push_back({"everything by shortest paths at once", facts.diameter(), {}, facts.diameter(), {}});
    known.push_back({"collecting and distributing along a tree", {}, 2 * (Count{facts.nodes} - 1), {}, {}});
}

void add_bundled_allgathers(const Facts& facts, std::vector<KnownSchedule>& known) {
    const Count others = facts.nodes - 1;
    if (facts.hypercube() && facts.swaps) known.push_back(everybody("exchange", facts, facts.diameter(), others));
    add_bruck(
        facts, [&](Count unit, Count) { return std::min(unit, facts.nodes - unit); }, known);
    if (is_torus(facts) && goes_around(facts))
        known.push_back(everybody(is_ring(facts) ? "ring" : "ring-per-dimension", facts, ring_rounds(facts), others));
    const bool all_ways = facts.full_links && facts.machine.duplex == Duplex::full && goes_around(facts);
    if (all_ways && !is_torus(facts) && !facts.store_and_forward) known.push_back(lines(facts));
    add_common_bundles(facts, known);
}

void add_bundled_alltoalls(const Facts& facts, std::vector<KnownSchedule>& known) {
    const Count n = facts.nodes;
    const Count half = facts.diameter();  // of a ring: floor(N / 2)
    if (facts.hypercube() && facts.swaps)
        known.push_back(everybody("exchange", facts, facts.diameter(), facts.diameter() * n / 2));
    const auto with_digit_one = [&](Count unit, Count next) {  // in base k + 1, of the numbers below N
        const Count rest = n % next;
        return n / next * unit + std::min(unit, rest - std::min(rest, unit));
    };
    add_bruck(facts, with_digit_one, known);
    if (is_ring(facts) && goes_around(facts))
        known.push_back(everybody("ring-bidirectional-serial", facts, n - 1, n * n / 4));
    if (is_ring(facts) && facts.both_ways() && facts.ports >= 2)
        known.push_back({"ring-bidirectional", half, n * (n - 1), half, half * (half + 1) / 2});
    if (is_torus(facts) && goes_around(facts))
        known.push_back(everybody("ring-per-dimension", facts, ring_rounds(facts), n * ring_rounds(facts) / 2));
    add_common_bundles(facts, known);
}

}  // namespace

std::vector<KnownSchedule> known_allgathers(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.machine.combining) add_bundled_allgathers(facts, known);
    add_single_allgathers(facts, known);
    if (!facts.machine.combining)
        known.push_back(
            {"packets one after the other along a tree", {}, Count{facts.nodes} * (facts.nodes - 1), {}, {}});
    return known;
}

std::vector<KnownSchedule> known_alltoalls(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.machine.combining) add_bundled_alltoalls(facts, known);
    add_single_alltoalls(facts, known);
    if (!facts.machine.combining)
        known.push_back({"packets one after the other", {}, distances_over_pairs(facts), {}, {}});
    return known;
}

}  // namespace kport::bounds
