#include "algorithms/support/dimension_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kport {

namespace {

/// Returns the rounds that one port adds to the eccentricity: a source with two equally long arms in a dimension starts
/// one of them a round late; in a ring of odd side it always has two.
std::uint64_t late_dimensions(const Grid& grid, NodeId source) {
    std::uint64_t late = 0;
    for (int i = 0; i < grid.dimensions(); ++i) {
        const Grid::Arms arms = grid.arms(i, grid.coordinate(source, i));
        if (arms.plus == arms.minus && arms.plus > 0) ++late;
    }
    return late;
}

}  // namespace

DimensionTree::DimensionTree(const Grid& grid, NodeId source, ArmOrder order)
    : grid_(grid), order_(order), cover_(static_cast<std::size_t>(grid.dimensions()) + 1), later_(cover_.size()) {
    for (int i = 0; i < grid.dimensions(); ++i) {
        const NodeId at = grid.coordinate(source, i);
        source_.push_back({at, grid.side(i), grid.arms(i, at)});
    }
    TreeArms all;  // arms of the lowest dimension first
    for (int i = grid.dimensions() - 1; i >= 0; --i) {
        const auto dimension = static_cast<std::size_t>(i);
        const Grid::Arms whole = source_[dimension].arms;
        const Hops behind = cover_[dimension + 1];
        if (whole.minus > 0) all.insert(all.begin(), {grid.minus(i), whole.minus, whole.minus + behind});
        if (whole.plus > 0) all.insert(all.begin(), {grid.plus(i), whole.plus, whole.plus + behind});
        cover_[dimension] = behind + std::max(whole.plus, whole.minus);
        later_[dimension] = all;
        std::ranges::stable_sort(later_[dimension],
                                 [this](const TreeArm& a, const TreeArm& b) { return goes_first(a, b); });
    }
}

// Inline: called for every node, and g++ would not inline it.
[[gnu::always_inline]] inline DimensionTree::Reached DimensionTree::reached(NodeId v) const {
    int i = grid_.dimensions() - 1;
    NodeId at = 0;
    while (i >= 0 && (at = grid_.coordinate(v, i)) == source_[static_cast<std::size_t>(i)].at) --i;
    return {i, at};
}

TreeArm DimensionTree::arm_on(const Reached& node) const {
    if (node.dimension < 0) return {no_port, 0, 0};
    const auto dimension = static_cast<std::size_t>(node.dimension);
    const auto& [from, side, whole] = source_[dimension];
    const NodeId steps_plus = node.at > from ? node.at - from : node.at + side - from;
    const bool goes_plus = steps_plus <= whole.plus;
    const NodeId left = goes_plus ? whole.plus - steps_plus : whole.minus - (side - steps_plus);
    return {goes_plus ? grid_.plus(node.dimension) : grid_.minus(node.dimension), left, left + cover_[dimension + 1]};
}

DimensionTree::Way DimensionTree::way_to(NodeId v) const {
    const Reached node = reached(v);
    const Way way{arm_on(node), later_than(node), 0};
    const auto is_behind = [&](const TreeArm& arm) { return !goes_first(arm, way.on); };
    const auto place = std::ranges::find_if(way.later, is_behind) - way.later.begin();
    return {way.on, way.later, static_cast<std::size_t>(place)};
}

TreeArms DimensionTree::arms(NodeId v) const {
    const Way way = way_to(v);
    TreeArms all = way.later;
    if (way.on.length > 0) all.insert(all.begin() + static_cast<std::ptrdiff_t>(way.place), way.on);
    return all;
}

TreeArm DimensionTree::arm(NodeId v, Port port) const {
    const Reached node = reached(v);
    const TreeArm on = arm_on(node);
    return on.length > 0 && on.port == port ? on : *std::ranges::find(later_than(node), port, &TreeArm::port);
}

Port DimensionTree::first(NodeId v) const {
    const Reached node = reached(v);
    const TreeArm on = arm_on(node);
    const TreeArms& later = later_than(node);
    if (on.length > 0 && (later.empty() || !goes_first(later.front(), on))) return on.port;
    return later.empty() ? no_port : later.front().port;
}

Port DimensionTree::next(NodeId v, Port last) const {
    if (is_reached_last(v)) return no_port;  // it sends along the last dimension only
    const Way way = way_to(v);
    std::size_t i = way.place;  // index of the next one among `later`
    if (last != way.on.port) {
        i = static_cast<std::size_t>(std::ranges::find(way.later, last, &TreeArm::port) - way.later.begin()) + 1;
        if (way.on.length > 0 && way.place == i) return way.on.port;
    }
    return i < way.later.size() ? way.later[i].port : no_port;
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
