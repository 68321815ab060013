#include "algorithms/support/cut_line.hpp"

namespace kport {

CutLine::CutLine(const Grid& grid, int dimension, NodeId source, Keep keep)
    : grid_(&grid), dimension_(dimension), source_position_(grid.coordinate(source, dimension)), shift_(0) {
    if (!grid.wraps()) return;
    const std::uint64_t n = size();
    const std::uint64_t half = keep == Keep::smaller ? n / 2 : (n + 1) / 2;
    const std::uint64_t wanted = half == 0 ? 0 : half - 1;
    shift_ = (wanted + n - source_position_) % n;
    source_position_ = wanted;
}

std::uint64_t CutLine::position(NodeId v) const { return (grid_->coordinate(v, dimension_) + shift_) % size(); }

std::uint64_t CutLine::coordinate(std::uint64_t position) const { return (position + size() - shift_) % size(); }

NodeId CutLine::node_at(NodeId v, std::uint64_t position) const {
    return grid_->with_coordinate(v, dimension_, coordinate(position));
}

std::vector<Port> CutLine::route(std::uint64_t from, std::uint64_t to) const {
    // The two nodes of a ring of two share one link, by the plus port of both.
    const bool plus = to > from || (grid_->wraps() && size() == 2);
    const std::uint64_t hops = to > from ? to - from : from - to;
    return std::vector<Port>(hops, plus ? grid_->plus(dimension_) : grid_->minus(dimension_));
}

}  // namespace kport
