#include "app/pictures/heat_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

namespace {

NodeId nodes_in_a_row(const Topology& topology) {
    const auto root = static_cast<NodeId>(std::ceil(std::sqrt(static_cast<double>(topology.nodes()))));
    const auto* const grid = dynamic_cast<const Grid*>(&topology);
    if (const auto* const cube = dynamic_cast<const Hypercube*>(&topology))
        return NodeId{1} << ((cube->dimensions() + 1) / 2);
    if (grid == nullptr) return root;
    constexpr double unlike_most = 3.5;  // rows of more than thirty times the root are cut
    NodeId row = root;
    double least_unlike = std::numeric_limits<double>::infinity();
    for (int i = 0; i < grid->dimensions(); ++i) {
        if (grid->stride(i) == 1) continue;
        const double unlike = std::abs(std::log(static_cast<double>(grid->stride(i)) / static_cast<double>(root)));
        if (unlike >= std::min(least_unlike, unlike_most)) continue;
        least_unlike = unlike;
        row = grid->stride(i);
    }
    return row;
}

}  // namespace

HeatGrid::HeatGrid(const Topology& topology, std::size_t squares_most) : row_(nodes_in_a_row(topology)) {
    const std::size_t rows = (topology.nodes() + row_ - 1) / row_;
    const auto squares_along = [&](std::size_t side) { return (side + block_ - 1) / block_; };
    while (squares_along(row_) * squares_along(rows) > squares_most) ++block_;
    width_ = squares_along(row_);
    height_ = squares_along(rows);
    const NodeId before_last_row = NodeId{height_ - 1} * block_ * row_;
    const auto in_last_row = static_cast<std::size_t>(std::min<NodeId>(topology.nodes() - before_last_row, row_));
    squares_ = (height_ - 1) * width_ + squares_along(in_last_row);
}

}  // namespace kport
