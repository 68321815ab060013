#include "algorithms/bounds/arguments.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/kept.hpp"
#include "algorithms/bounds/ways.hpp"

namespace kport::bounds {
namespace {

/// Directly from the source, and via each other node.
WaysTo ways_on_complete(const Facts& facts) {
    WaysTo ways{{1, 1}};
    if (facts.nodes > 2) ways.push_back({2, facts.nodes - 2});
    return ways;
}

/// A path that leaves the source in one direction arrives at a farthest node in that direction, and takes the shorter
/// way in all other dimensions. So paths that begin the shorter way have h links; those that begin the longer way have
/// h on an even side and h + 1 on an odd one; a side of two has no longer way. No two paths share a link.
WaysTo ways_on_torus(const Facts& facts) {
    Ways shortest{0, 0};
    std::uint64_t odd = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const std::uint64_t side = facts.grid->side(i);
        shortest.links += side / 2;
        if (side > 1) ++shortest.number;
        if (side > 2) ++(side % 2 == 0 ? shortest.number : odd);
    }
    WaysTo ways{shortest};
    if (odd > 0) ways.push_back({shortest.links + 1, odd});
    return first_of(std::move(ways), facts.ports);
}

constexpr std::uint64_t steps_searched = std::uint64_t{1} << 22;

std::vector<Receiver> receivers_by_search(const Facts& facts) {
    static Kept<std::vector<Receiver>> kept;
    return *kept.of(facts, [](const Facts& of) { return ways_from(of.graph, of.root, of.ports, steps_searched); });
}

std::vector<Receiver> receivers(const Facts& facts) {
    if (!facts.store_and_forward || facts.one_port() || facts.hypercube() || !facts.is_even()) return {};
    if (facts.complete() && !facts.every_port) return {};  // the packet that leaves last takes longer
    if (facts.complete()) return {{no_node, ways_on_complete(facts)}};
    if (facts.grid != nullptr && !facts.grid->wraps()) return {};
    if (facts.grid != nullptr) return {{no_node, ways_on_torus(facts)}};
    if (facts.is_tree() || facts.graph.channels() > walked_channels_max) return {};
    return receivers_by_search(facts);
}

std::string told(const WaysTo& ways) {
    std::vector<std::string> parts;
    for (const Ways& way : ways)
        parts.push_back(fmt::format("{} of {}", way.number, counted(way.links, "link", "links")));
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::optional<Reason> flow_over_time(const Facts& facts) {
    const std::vector<Receiver> among = receivers(facts);
    if (among.empty()) return std::nullopt;
    const Count m = facts.packets_each;
    const auto needed = [&](const Receiver& receiver) { return rounds_over(receiver.ways, m); };
    const Receiver& slowest = *std::ranges::max_element(among, {}, needed);
    const Count rounds = needed(slowest);
    const std::string node =
        slowest.node == no_node ? "a farthest node" : fmt::format("node {}", facts.node(slowest.node));
    return Reason{
        fmt::format("flow over time: {} packets to {}", m, node), rounds,
        fmt::format("{}within {} at most {} of {} packets reach {}, even if no other node gets any: over its ways, "
                    "{}, each of which brings one a round.",
                    facts.inwards() ? "Reversed in time: " : "", counted(rounds - 1, "round", "rounds"),
                    packets_over(slowest.ways, rounds - 1), m, node, told(slowest.ways)),
        "Ford, Fulkerson 1958; model section 13.1"};
}

}  // namespace kport::bounds
