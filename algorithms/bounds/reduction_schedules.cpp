#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/schedules.hpp"

namespace kport::bounds {
namespace {

Facts at_the_middle(const Facts& facts) {
    Facts middle = facts;
    middle.root = middle_of(facts.graph);
    middle.root_ports = std::min<std::uint64_t>(facts.ports, facts.machine.ports_of(middle.root));
    middle.eccentricity = facts.graph.eccentricity(middle.root);
    return middle;
}

std::optional<Count> twice(const std::optional<Count>& count) {
    return count ? std::optional(2 * *count) : std::nullopt;
}

}  // namespace

std::vector<KnownSchedule> known_allreduces(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.complete() && facts.both_ways()) {
        const std::uint64_t rounds = ceil_log(facts.ports + 1, facts.nodes);
        Count groups = 1;
        for (std::uint64_t i = 0; i < rounds; ++i) groups *= facts.ports + 1;
        if (groups == facts.nodes)  // every round, groups of k+1 nodes exchange; no node is left over
            known.push_back({"exchange in groups", rounds, Count{facts.nodes} * facts.ports * rounds, rounds, rounds});
    }
    const Facts middle = at_the_middle(facts);
    for (const KnownSchedule& tree : known_broadcasts(middle))
        known.push_back({fmt::format("reduce-broadcast through node {} with {}", facts.node(middle.root), tree.name),
                         twice(tree.rounds), twice(tree.work), twice(tree.path_sum), twice(tree.packets)});
    return known;
}

std::vector<KnownSchedule> known_scans(const Facts& facts) {
    std::vector<KnownSchedule> known;
    const Count others = facts.nodes - 1;
    if (facts.complete() && (facts.full_duplex || facts.ports >= 2)) {
        // Hillis, Steele: in round i node v sends the sum of the last (k+1)^i to the k nodes at multiples of that ahead.
        const Count rounds = ceil_log(facts.full_duplex ? facts.ports + 1 : 2, facts.nodes);
        known.push_back({"recursive doubling", rounds, {}, rounds, rounds});
    }
    // chain, also for more nodes than the catalogue is asked for
    if (first_gap(facts.graph) == facts.nodes - 1)
        known.push_back({"passing the sum from node to node", others, others, others, others});
    return known;
}

std::optional<Refutation> refute_scan_work(const Facts& facts) {
    const std::optional<NodeId> gap = first_gap(facts.graph);
    if (!gap || *gap == facts.nodes - 1) return std::nullopt;
    return Refutation{
        facts.machine.combining ? facts.nodes : facts.packets_each * Count{facts.nodes},
        fmt::format("meeting it needs nodes 0, 1, 2, ... to be neighbours in turn; nodes {} and {} are not", *gap,
                    *gap + 1)};
}

}  // namespace kport::bounds
