#include "algorithms/support/dimension_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kport {

namespace {

/// The distance of the farthest node that a node covers in the dimensions after i: the sum of the source's longer arms.
Hops cover_after(const Grid& grid, NodeId source, int i) {
    Hops cover = 0;
    for (int j = i + 1; j < grid.dimensions(); ++j) {
        const Grid::Arms arms = grid.arms(j, grid.coordinate(source, j));
        cover += std::max(arms.plus, arms.minus);
    }
    return cover;
}

/// Rounds that one port adds to the eccentricity: a source with two equally long arms in a dimension starts one of them
/// a round late, and in a ring of odd side it always has two.
std::uint64_t late_dimensions(const Grid& grid, NodeId source) {
    std::uint64_t late = 0;
    for (int i = 0; i < grid.dimensions(); ++i) {
        const Grid::Arms arms = grid.arms(i, grid.coordinate(source, i));
        if (arms.plus == arms.minus && arms.plus > 0) ++late;
    }
    return late;
}

}  // namespace

TreeArms tree_arms(const Grid& grid, NodeId source, NodeId v, ArmOrder order) {
    TreeArms arms;
    const auto add = [&](int i, NodeId plus, NodeId minus) {
        const Hops after = cover_after(grid, source, i);
        if (plus > 0) arms.push_back({grid.plus(i), plus, plus + after});
        if (minus > 0) arms.push_back({grid.minus(i), minus, minus + after});
    };
    int reached_in = grid.dimensions() - 1;
    while (reached_in >= 0 && grid.coordinate(v, reached_in) == grid.coordinate(source, reached_in)) --reached_in;
    if (reached_in >= 0) {
        const NodeId from = grid.coordinate(source, reached_in);
        const NodeId steps_plus =
            (grid.coordinate(v, reached_in) + grid.side(reached_in) - from) % grid.side(reached_in);
        const Grid::Arms whole = grid.arms(reached_in, from);
        if (steps_plus <= whole.plus)
            add(reached_in, whole.plus - steps_plus, 0);
        else
            add(reached_in, 0, whole.minus - (grid.side(reached_in) - steps_plus));
    }
    for (int i = reached_in + 1; i < grid.dimensions(); ++i) {
        const Grid::Arms whole = grid.arms(i, grid.coordinate(source, i));
        add(i, whole.plus, whole.minus);
    }
    if (arms.size() > 1)
        std::stable_sort(arms.begin(), arms.end(), [order](const TreeArm& a, const TreeArm& b) {
            return order == ArmOrder::farthest_first ? a.height > b.height : a.height < b.height;
        });
    return arms;
}

ExpectedCost dimension_tree_cost(const Machine& machine, const Grid& grid, NodeId source) {
    const NodeId nodes = grid.nodes();
    const Hops exc = grid.eccentricity(source);
    const std::uint64_t late = machine.widest() == 1 ? late_dimensions(grid, source) : 0;
    const std::uint64_t rounds = exc + late;
    ExpectedCost cost{rounds, nodes - 1, rounds, rounds, {}};
    if (nodes == 1) {
        cost.derivation.emplace_back("one node: nothing moves");
        return cost;
    }
    const auto links = [](Hops n) { return fmt::format("{} link{}", n, n == 1 ? "" : "s"); };
    const auto counted_rounds = [](std::uint64_t n) { return fmt::format("{} round{}", n, n == 1 ? "" : "s"); };
    cost.derivation.push_back(
        fmt::format("the last node is {} away: the longer arm of each dimension, added up", links(exc)));
    if (machine.widest() > 1)
        cost.derivation.push_back(
            fmt::format("with two ports or more no arm on a longest way starts late: {}", counted_rounds(rounds)));
    else if (late == 0)
        cost.derivation.push_back(
            fmt::format("no dimension has two equally long arms, so with one port no arm delays the end: {}",
                        counted_rounds(rounds)));
    else
        cost.derivation.push_back(
            fmt::format("one port starts the second of two equally long arms a round late: {} dimension{} of this "
                        "kind, {} + {} = {}",
                        late, late == 1 ? "" : "s", exc, late, counted_rounds(rounds)));
    cost.derivation.push_back(
        fmt::format("every node but the source receives once, over one link: work {}", nodes - 1));
    return cost;
}

}  // namespace kport
