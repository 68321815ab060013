/// @file heat_grid.hpp   Large machines as squares in rows: for each node one, or one for a square of nodes.
#pragma once

#include <cstddef>

#include "emulator/topology/topology.hpp"

namespace kport {

/// Rows are whole rows of a mesh, a torus or a hypercube, so that neighbours stand below each other; of other graphs about the root of
/// the number of nodes.
class HeatGrid {
  public:
    /// Has at most so many squares.
    HeatGrid(const Topology& topology, std::size_t squares_most);

    /// Nodes of a row, before squares of nodes are formed.
    [[nodiscard]] std::size_t row() const { return row_; }
    /// Nodes along the side of a square.
    [[nodiscard]] std::size_t block() const { return block_; }
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] std::size_t height() const { return height_; }
    /// Squares with a node: the last row may be shorter.
    [[nodiscard]] std::size_t squares() const { return squares_; }
    [[nodiscard]] std::size_t square_of(NodeId v) const { return v / row_ / block_ * width_ + v % row_ / block_; }

  private:
    std::size_t row_;
    std::size_t block_ = 1;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    std::size_t squares_ = 0;
};

}  // namespace kport
