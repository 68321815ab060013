#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/counting.hpp"
#include "algorithms/bounds/schedules.hpp"

namespace kport::bounds {
namespace {

/// A broadcast along a tree of links: every hop is a message, and every round moves one packet one hop.
KnownSchedule along_tree(std::string name, const Facts& facts, Count rounds) {
    return {std::move(name), rounds, facts.nodes - 1, rounds, rounds};
}

/// Dimensions in which the root has two equally long arms: exactly central in a line, anywhere in an odd ring. One port
/// serves one of the two a round late.
Count balanced_dimensions(const Facts& facts) {
    Count balanced = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const NodeId side = facts.grid->side(i);
        const bool central = facts.grid->wraps() || 2 * facts.grid->coordinate(facts.root, i) + 1 == side;
        if (side >= 3 && side % 2 == 1 && central) ++balanced;
    }
    return balanced;
}

/// Dimension-ordered spanning tree, farthest first (model.md section 3.6).
Count dost_rounds(const Facts& facts) {
    return facts.eccentricity + (facts.one_port() ? balanced_dimensions(facts) : 0);
}

/// Recursive doubling in one dimension after the other, keeping the smaller part (model.md sections 4.1 to 4.3).
KnownSchedule doubled_by_lines(const Facts& facts) {
    Count rounds = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) rounds += ceil_log(2, facts.grid->side(i));
    return {through_one_port("rda-product", facts), rounds, std::nullopt,
            facts.eccentricity + balanced_dimensions(facts), rounds};
}

/// The complete binary tree is its own spanning tree: 2h from the root, 2h + d - 1 from depth d (model.md section 3.3).
Count tree_rounds(const Facts& facts) {
    if (!facts.one_port()) return facts.eccentricity;
    const auto height = static_cast<Count>(facts.tree->height());
    const auto depth = static_cast<Count>(CompleteBinaryTree::depth(facts.root));
    return depth == 0 ? 2 * height : 2 * height + depth - 1;
}

/// Grids where DOST is a round too slow and exhaustive search found a schedule that meets the bound.
std::optional<Count> searched(const Facts& facts) {
    struct Instance {
        bool wraps;
        std::string_view sides;  ///< in ascending order, whatever the order of the dimensions
        Count central;           ///< dimensions in which the root must be in the middle
        Count rounds;
    };
    static constexpr Instance instances[] = {
        {true, "3x5", 0, 4}, {true, "3x7", 0, 5}, {true, "5x5", 0, 5}, {true, "5x7", 0, 6}, {false, "3x3x3", 2, 5}};
    if (!facts.one_port() || facts.grid == nullptr) return std::nullopt;
    std::vector<NodeId> sides;
    for (int i = 0; i < facts.grid->dimensions(); ++i)
        if (facts.grid->side(i) > 1) sides.push_back(facts.grid->side(i));
    std::ranges::sort(sides);
    const std::string told = fmt::format("{}", fmt::join(sides, "x"));
    for (const Instance& instance : instances)
        if (facts.grid->wraps() == instance.wraps && told == instance.sides &&
            balanced_dimensions(facts) >= instance.central)
            return instance.rounds;
    return std::nullopt;
}

/// Returns the rounds for the tree. Each node's rounds are computed from its descendants', the root's last: an informed
/// node serves its children in turn, the slowest first, k a round.
/// Cost      O(N log N), 24 bytes a node.
Count told_down_the_tree(const Topology& tree, NodeId root, std::uint64_t ports) {
    std::vector<NodeId> nodes{root};  // level by level: the children of a node are adjacent
    std::vector<NodeId> parents{no_node};
    std::vector<std::size_t> first_child;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        first_child.push_back(nodes.size());
        const NodeId v = nodes[i];
        const NodeId parent = parents[i];
        for_each_neighbour(tree, v, [&](NodeId w) {
            if (w == parent) return;
            nodes.push_back(w);
            parents.push_back(v);
        });
    }
    first_child.push_back(nodes.size());
    std::vector<Count> rounds(nodes.size(), 0);
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const auto children = std::span(rounds).subspan(first_child[i], first_child[i + 1] - first_child[i]);
        std::ranges::sort(children, std::greater());  // not needed again
        for (std::size_t c = 0; c < children.size(); ++c)
            rounds[i] = std::max(rounds[i], static_cast<Count>(c / ports) + 1 + children[c]);
    }
    return rounds.front();
}

/// Returns the exact optimum on a tree. There is one path to every node, so farthest-first is optimal (Slater,
/// Cockayne, Hedetniemi 1981; model.md section 3.3). Nothing on other graphs, and on very large trees without a
/// formula.
std::optional<Count> rounds_on_tree(const Facts& facts) {
    constexpr NodeId looked_at_max = NodeId{1} << 20;
    if (facts.graph.channels() != 2 * (facts.nodes - 1)) return std::nullopt;
    if (facts.grid != nullptr) return dost_rounds(facts);
    if (facts.tree != nullptr && (facts.one_port() || facts.every_port)) return tree_rounds(facts);
    if (facts.nodes > looked_at_max) return std::nullopt;
    return told_down_the_tree(facts.graph, facts.root, facts.ports);
}

}  // namespace

std::string through_one_port(std::string_view algorithm, const Facts& facts) {
    return std::string(algorithm) + (facts.one_port() ? "" : " through one port");
}

std::vector<KnownSchedule> known_broadcasts(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.hypercube()) known.push_back(along_tree("sbt", facts, facts.eccentricity));
    if (facts.complete()) known.push_back(along_tree("rda", facts, ceil_log(facts.ports + 1, facts.nodes)));
    if (facts.every_port) known.push_back(along_tree("controlled-flooding", facts, facts.eccentricity));
    if (facts.grid != nullptr) known.push_back(along_tree("dost", facts, dost_rounds(facts)));
    if (const auto rounds = rounds_on_tree(facts); rounds && facts.grid == nullptr)
        known.push_back(along_tree("farthest-first", facts, *rounds));
    if (const auto published = facts.graph.published_broadcast(facts.root))
        known.push_back(along_tree(fmt::format("a broadcast by {}", published->by), facts, published->rounds));
    if (const auto rounds = searched(facts))
        known.push_back(along_tree("a schedule found by exhaustive search", facts, *rounds));
    if (!facts.store_and_forward) {
        if (facts.grid != nullptr) known.push_back(doubled_by_lines(facts));
        const Count rounds = ceil_log(2, facts.nodes);
        if (facts.full_links)
            known.push_back({through_one_port("euler-rda", facts), rounds, std::nullopt, std::nullopt, rounds});
    }
    known.push_back({"any spanning tree", std::nullopt, facts.nodes - 1, std::nullopt, std::nullopt});
    return known;
}

namespace {

std::optional<Refutation> refute_on_tree(const Facts& facts, Count bound) {
    const std::optional<Count> exact = rounds_on_tree(facts);
    if (!exact || *exact <= bound) return std::nullopt;
    return Refutation{*exact, fmt::format("the exact minimum on this tree is {} (Slater, Cockayne, Hedetniemi 1981)",
                                          counted(*exact, "round", "rounds"))};
}

/// Refutes ecc(s) + 1 from the centre of a mesh of two or more dimensions. The first send goes towards half of the
/// corners. The other corners, all at distance ecc(s), depend on the second send. With one spare round they lose it
/// there and may lose no other; but where their routes part, one port serves one of them a round later.
std::optional<Refutation> refute_at_centre(const Facts& facts, Count bound) {
    if (facts.grid == nullptr || facts.grid->wraps() || bound >= facts.eccentricity + 2) return std::nullopt;
    int long_sides = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) long_sides += facts.grid->side(i) >= 2 ? 1 : 0;
    if (long_sides < 2 || balanced_dimensions(facts) != static_cast<Count>(long_sides)) return std::nullopt;
    return Refutation{
        facts.eccentricity + 2,
        fmt::format("the {} corners lie {} links away, and one port serves half of them one round late, a quarter two",
                    Count{1} << long_sides, facts.eccentricity)};
}

/// Whether chains of `bound` messages reach all nodes that may be at each distance, whatever the levels are: each level
/// has a node. This is checked first, as if on a line.
bool reaches_any_levels(const Facts& facts, Count bound) {
    const std::uint64_t most = facts.nodes;
    for (Hops d = facts.eccentricity; d > 0; --d) {
        const std::uint64_t reached = reachable_over(d, static_cast<std::uint64_t>(bound), facts.ports, most);
        if (reached >= most) return true;  // the nearer, the more are reached
        if (reached < facts.far_at_most(d)) return false;
    }
    return true;
}

/// Refutes a bound if there are more far nodes than chains of that many messages can reach.
std::optional<Refutation> refute_by_distance(const Facts& facts, Count bound) {
    if (reaches_any_levels(facts, bound)) return std::nullopt;
    const FarNodes& far = facts.far();
    if (!far) return std::nullopt;
    for (std::size_t d = far->size() - 1; d > 0; --d) {
        const std::uint64_t wanted = (*far)[d];
        const std::uint64_t most = far->front();
        const std::uint64_t reached = reachable_over(d, static_cast<std::uint64_t>(bound), facts.ports, most);
        if (reached >= most) return std::nullopt;  // the nearer, the more are reached
        if (reached >= wanted) continue;
        return Refutation{bound + 1,
                          fmt::format("{} lie {} away or more, and {} through {} {} at most {} of them",
                                      counted(wanted, "node", "nodes"), counted(d, "link", "links"),
                                      counted(bound, "round", "rounds"), counted(facts.ports, "port", "ports"),
                                      facts.inwards() ? "hear" : "reach", reached)};
    }
    return std::nullopt;
}

/// refute_by_distance() where no node sends to more others than it has links (Chains). Returns nothing unless it needs
/// more rounds than the distances say.
std::optional<Refutation> refute_by_chains(const Facts& facts, Count bound) {
    constexpr std::uint64_t rounds_max = 512;  // beyond that counting chains takes long
    if (facts.eccentricity >= rounds_max) return std::nullopt;
    const FarNodes& far = facts.far();
    if (!far) return std::nullopt;
    Chains chains({facts.graph.degree(facts.root)}, facts.graph.max_degree(), facts.ports, facts.nodes);
    while (!chains.reach(*far) && chains.rounds() < bound) chains.advance();
    std::optional<Refutation> found;
    for (; !chains.reach(*far) && chains.rounds() < rounds_max; chains.advance()) {
        std::uint64_t d = far->size() - 1;
        while (d > 1 && chains.reached(d) >= (*far)[d]) --d;
        found = {
            chains.rounds() + 1,
            fmt::format("{} lie {} away or more, and chains of sends through {} of nodes of at most {} {} {} of them "
                        "in {}",
                        counted((*far)[d], "node", "nodes"), counted(d, "link", "links"),
                        counted(facts.ports, "port", "ports"), counted(facts.graph.max_degree(), "link", "links"),
                        facts.inwards() ? "hear" : "reach", chains.reached(d),
                        counted(chains.rounds(), "round", "rounds"))};
    }
    return found;
}

}  // namespace

Refutation following(const Refutation& other, std::string_view because, std::string_view singular,
                     std::string_view plural) {
    return {other.least, fmt::format("{}, and {} are needed", because, counted(other.least, singular, plural))};
}

std::optional<Refutation> refute_broadcast_rounds(const Facts& facts, Count bound) {
    if (!facts.store_and_forward) return std::nullopt;
    if (auto on_tree = refute_on_tree(facts, bound)) return on_tree;
    if (facts.one_port())
        if (auto at_centre = refute_at_centre(facts, bound)) return at_centre;
    auto by_distance = refute_by_distance(facts, bound);
    auto by_chains = refute_by_chains(facts, bound);
    return !by_chains || (by_distance && by_distance->least >= by_chains->least) ? by_distance : by_chains;
}

std::optional<Refutation> refute_broadcast_path_sum(const Facts& facts, const Derivation& found) {
    const Count bound = found.path_sum.value();
    const auto slower = refute_broadcast_rounds(facts, found.rounds.value());
    const Refutation rounds = slower.value_or(Refutation{found.rounds.value(), {}});
    if (rounds.least > bound) return following(rounds, "a round has at least one hop", "round", "rounds");
    if (!facts.one_port() || facts.far_at_most(facts.eccentricity) < 2) return std::nullopt;
    const FarNodes& far = facts.far();
    if (!far || far->back() < 2) return std::nullopt;
    return Refutation{bound + 1, fmt::format("{} lie {} away, and where their routes {}",
                                             counted(far->back(), "node", "nodes"), counted(bound, "link", "links"),
                                             facts.inwards() ? "meet one port receives one of them later"
                                                             : "part one port serves one of them first")};
}

}  // namespace kport::bounds
