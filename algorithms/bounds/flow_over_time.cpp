#include "algorithms/bounds/flow_over_time.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/time_network.hpp"

namespace kport::bounds {
namespace {

constexpr std::string_view source_of_flow = "maximum flow over time; model section 13.1";

Reason on_complete(const Facts& facts) {
    const Count m = facts.packets_each;
    const Count rounds = ceil_div(m + facts.nodes - 2, facts.nodes - 1);
    return {fmt::format("flow over time: ceil(({} + {} - 2) / {})", m, facts.nodes, facts.nodes - 1), rounds,
            fmt::format("A node gets one packet from the source in the first round, and {} in each later one.",
                        facts.nodes - 1),
            std::string(source_of_flow)};
}

Reason on_ring(const Facts& facts) {
    const Count m = facts.packets_each;
    return {
        fmt::format("flow over time: ceil(({} + {}) / 2) - 1", m, facts.nodes), ceil_div(m + facts.nodes, 2) - 1,
        "What goes either way round to a node reaches it one a round, after so many rounds as it is away that way: the "
        "two ways have N links together.",
        std::string(source_of_flow)};
}

/// The shortest ways to the farthest node in each pair of directions: h of both shorter ones, h1 and h2 with one longer one.
Reason on_torus(const Facts& facts, std::uint64_t a, std::uint64_t b) {
    const Count m = facts.packets_each;
    const Count h = a / 2 + b / 2;
    const Count h1 = a - a / 2 + b / 2;
    const Count h2 = a / 2 + b - b / 2;
    const auto come = [](Count rounds, Count links) { return rounds + 1 > links ? rounds + 1 - links : 0; };
    const auto by = [&](Count rounds) { return 2 * come(rounds, h) + come(rounds, h1) + come(rounds, h2); };
    // Four packets a round at most, so no fewer than a quarter of them after the first.
    Count rounds = h + (m < 4 ? 0 : m / 4 - 1);
    while (by(rounds) < m) ++rounds;
    return {
        fmt::format("flow over time: {} packets on ways of {}, {}, {} and {} links", m, h, h, h1, h2), rounds,
        fmt::format("A farthest node is reached by two ways of {}, one of {} and one of {}, and each brings one packet "
                    "a round.",
                    counted(h, "link", "links"), counted(h1, "link", "links"), counted(h2, "link", "links")),
        std::string(source_of_flow)};
}

/// The sides that are no single node.
std::vector<std::uint64_t> long_sides(const Grid& grid) {
    std::vector<std::uint64_t> sides;
    for (int i = 0; i < grid.dimensions(); ++i)
        if (grid.side(i) > 1) sides.push_back(grid.side(i));
    return sides;
}

/// Where the closed forms are none and the graph is small: the flow to each node, from `least` rounds on.
std::optional<Reason> on_small_graph(const Facts& facts, Count least) {
    constexpr Count steps_max = 5'000'000;
    const bool has_other_bounds = facts.grid != nullptr || facts.hypercube() || facts.complete() ||
                                  facts.graph.channels() == 2 * (facts.nodes - 1);
    const Count steps = least * facts.nodes * facts.packets_each * facts.graph.channels();
    if (has_other_bounds || steps > steps_max) return std::nullopt;
    auto rounds = static_cast<std::uint64_t>(least);
    NodeId slowest = no_node;
    for (NodeId v = 0; v < facts.nodes; ++v)
        for (; v != facts.root &&
               packets_within(facts.machine, facts.root, v, rounds, facts.packets_each) < facts.packets_each;
             ++rounds)
            slowest = v;
    if (slowest == no_node) return std::nullopt;
    return Reason{fmt::format("flow over time: {} packets to node {}", facts.packets_each, facts.node(slowest)), rounds,
                  fmt::format("{}in {} fewer than {} packets can reach node {}, if nobody else gets any.",
                              facts.inwards() ? "Reversed in time: " : "", counted(rounds - 1, "round", "rounds"),
                              facts.packets_each, facts.node(slowest)),
                  std::string(source_of_flow)};
}

}  // namespace

std::optional<Reason> flow_over_time(const Facts& facts, Count least) {
    if (!facts.store_and_forward) return std::nullopt;
    if (auto small = on_small_graph(facts, least)) return small;
    if (!facts.every_port) return std::nullopt;
    if (facts.complete()) return on_complete(facts);
    if (facts.grid == nullptr || !facts.grid->wraps()) return std::nullopt;
    const std::vector<std::uint64_t> sides = long_sides(*facts.grid);
    if (std::ranges::any_of(sides, [](std::uint64_t side) { return side == 2; })) return std::nullopt;
    if (sides.size() == 1) return on_ring(facts);
    return sides.size() == 2 ? std::optional(on_torus(facts, sides[0], sides[1])) : std::nullopt;
}

}  // namespace kport::bounds
