#include "emulator/topology/hamiltonian_cycle.hpp"

#include <algorithm>
#include <ranges>

#include "emulator/topology/complete.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

namespace {

/// Returns the position along a row that is walked from its second place to its end, or back.
NodeId along(NodeId column, NodeId length, bool back) { return back ? length - 1 - column : column - 1; }
NodeId column_at(NodeId step, NodeId length, bool back) { return back ? length - 1 - step : step + 1; }

}  // namespace

std::optional<HamiltonianCycle> HamiltonianCycle::of(const Topology& topology) {
    if (dynamic_cast<const Complete*>(&topology) != nullptr) return HamiltonianCycle(Rule::numbers, topology.nodes());
    if (dynamic_cast<const Hypercube*>(&topology) != nullptr)
        return HamiltonianCycle(Rule::gray_code, topology.nodes());
    const auto* const grid = dynamic_cast<const Grid*>(&topology);
    return grid != nullptr ? of_grid(*grid) : std::nullopt;
}

std::optional<HamiltonianCycle> HamiltonianCycle::of_grid(const Grid& grid) {
    std::vector<CycleAxis> axes;
    for (int i = 0; i < grid.dimensions(); ++i)
        if (grid.side(i) > 1) axes.push_back({grid.side(i), grid.stride(i)});
    if (axes.size() < 2)
        return grid.wraps() ? std::optional(HamiltonianCycle(Rule::numbers, grid.nodes())) : std::nullopt;
    const auto even = std::ranges::find_if(axes, [](const CycleAxis& axis) { return axis.side % 2 == 0; });
    if (even == axes.end() && !grid.wraps()) return std::nullopt;
    HamiltonianCycle cycle(even == axes.end() ? Rule::odd_rows : Rule::even_rows, grid.nodes());
    if (even != axes.end()) std::rotate(axes.begin(), even, even + 1);
    cycle.axes_ = std::move(axes);
    return cycle;
}

NodeId HamiltonianCycle::gray_position(NodeId v) {
    for (unsigned bits = 1; bits < 64; bits *= 2) v ^= v >> bits;
    return v;
}

NodeId HamiltonianCycle::position_of(CyclePlace place, NodeId rows, NodeId length) const {
    const auto [row, column] = place;
    if (rule_ == Rule::even_rows) {
        if (column == 0) return row == 0 ? 0 : rows * length - row;
        return 1 + row * (length - 1) + along(column, length, row % 2 == 1);
    }
    if (row == 0) return column == 0 ? 0 : length - column;
    if (column == 0) return rows * length - row;
    return length + (row - 1) * (length - 1) + along(column, length, row % 2 == 0);
}

HamiltonianCycle::CyclePlace HamiltonianCycle::place_of(NodeId position, NodeId rows, NodeId length) const {
    const bool is_even = rule_ == Rule::even_rows;
    const NodeId first = is_even ? 1 : length;  // first row of those walked back and forth
    const NodeId walked = is_even ? rows : rows - 1;
    if (position < first) return {0, position == 0 ? 0 : length - position};
    const NodeId steps = position - first;
    if (steps >= walked * (length - 1)) return {rows * length - position, 0};
    const NodeId row = steps / (length - 1);  // row among those
    return {rows - walked + row, column_at(steps % (length - 1), length, row % 2 == 1)};
}

NodeId HamiltonianCycle::position_in_rows(NodeId v) const {
    NodeId column = 0;
    NodeId length = 1;
    if (rule_ == Rule::even_rows) {
        for (const CycleAxis& axis :
             axes_ | std::views::drop(1)) {  // back and forth along each, so that consecutive positions are neighbours
            const NodeId x = axis.coordinate(v);
            column = column * axis.side + (column % 2 == 1 ? axis.side - 1 - x : x);
            length *= axis.side;
        }
        return position_of({axes_.front().coordinate(v), column}, axes_.front().side, length);
    }
    column = axes_.back().coordinate(v);
    length = axes_.back().side;
    for (const CycleAxis& axis : axes_ | std::views::reverse | std::views::drop(1)) {
        column = position_of({axis.coordinate(v), column}, axis.side, length);
        length *= axis.side;
    }
    return column;
}

NodeId HamiltonianCycle::node_in_rows(NodeId position) const {
    NodeId length = nodes_;
    if (rule_ == Rule::even_rows) {
        length /= axes_.front().side;
        const CyclePlace place = place_of(position, axes_.front().side, length);
        NodeId v = place.row * axes_.front().stride;
        NodeId column = place.column;
        for (const CycleAxis& axis : axes_ | std::views::drop(1) | std::views::reverse) {
            const NodeId x = column % axis.side;
            column /= axis.side;
            v += (column % 2 == 1 ? axis.side - 1 - x : x) * axis.stride;
        }
        return v;
    }
    NodeId v = 0;
    for (std::size_t i = 0; i + 1 < axes_.size(); ++i) {
        length /= axes_[i].side;
        const CyclePlace place = place_of(position, axes_[i].side, length);
        v += place.row * axes_[i].stride;
        position = place.column;
    }
    return v + position * axes_.back().stride;
}

}  // namespace kport
