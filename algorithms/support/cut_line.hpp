/// @file cut_line.hpp   A dimension of a grid as a line: rings are cut so that the source is near the middle.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/topology/grid.hpp"

namespace kport {

/// The line of n positions along one dimension of a grid. A mesh's positions are its coordinates; a ring is cut so that
/// the source is near the middle (model.md sections 4.3 and 5.3): then the longest path has ceil(n/2) links.
class CutLine {
  public:
    /// `keep` selects the cut: floor(n/2)-1 positions before the source (smaller), ceil(n/2)-1 (greater).
    CutLine(const Grid& grid, int dimension, NodeId source, Keep keep);

    [[nodiscard]] std::uint64_t size() const { return grid_->side(dimension_); }
    /// Returns the source's position.
    [[nodiscard]] std::uint64_t source() const { return source_position_; }
    /// Returns the position of a node, by its coordinate in this dimension.
    [[nodiscard]] std::uint64_t position(NodeId v) const;
    /// Returns the coordinate in this dimension of the nodes at a position.
    [[nodiscard]] std::uint64_t coordinate(std::uint64_t position) const;
    /// Returns the node on v's line at a position.
    [[nodiscard]] NodeId node_at(NodeId v, std::uint64_t position) const;
    /// Returns the ports of the path along the line, which never crosses the cut.
    [[nodiscard]] std::vector<Port> route(std::uint64_t from, std::uint64_t to) const;

  private:
    const Grid* grid_;
    int dimension_;
    std::uint64_t source_position_;
    std::uint64_t shift_;  ///< position = (coordinate + shift) mod side
};

inline CutLine::CutLine(const Grid& grid, int dimension, NodeId source, Keep keep)
    : grid_(&grid), dimension_(dimension), source_position_(grid.coordinate(source, dimension)), shift_(0) {
    if (!grid.wraps()) return;
    const std::uint64_t n = size();
    const std::uint64_t half = keep == Keep::smaller ? n / 2 : (n + 1) / 2;
    const std::uint64_t wanted = half == 0 ? 0 : half - 1;
    shift_ = (wanted + n - source_position_) % n;
    source_position_ = wanted;
}

inline std::uint64_t CutLine::position(NodeId v) const { return (grid_->coordinate(v, dimension_) + shift_) % size(); }

inline std::uint64_t CutLine::coordinate(std::uint64_t position) const { return (position + size() - shift_) % size(); }

inline NodeId CutLine::node_at(NodeId v, std::uint64_t position) const {
    return grid_->with_coordinate(v, dimension_, coordinate(position));
}

inline std::vector<Port> CutLine::route(std::uint64_t from, std::uint64_t to) const {
    // The two nodes of a ring of two share one link, by the plus port of both.
    const bool plus = to > from || (grid_->wraps() && size() == 2);
    const std::uint64_t hops = to > from ? to - from : from - to;
    return std::vector<Port>(hops, plus ? grid_->plus(dimension_) : grid_->minus(dimension_));
}

}  // namespace kport
