/// @file grid_boxes.hpp   The packets behind a send of an algorithm that covers a grid one dimension after the other.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "emulator/schedule/packet_set.hpp"
#include "emulator/topology/grid.hpp"

namespace kport {

/// Boxes of nodes that span all dimensions after a given one, in a given order of the dimensions.
///
/// Node numbers are row-major: in the order 0, 1, ... such a box is one run of numbers, or two where it crosses the
/// wraparound; in other orders it is a block for each combination of all its sides but the longest.
class GridBoxes {
  public:
    /// `order` names each dimension once.
    GridBoxes(const Grid& grid, const std::vector<unsigned>& order);

    /// Returns the packets for the nodes with v's coordinates in the dimensions before the i-th of the order, one of
    /// the `count` coordinates first, first + 1, ... (around the ring) in the i-th, and any in those after it. O(blocks
    /// + dimensions).
    [[nodiscard]] PacketSet packets(NodeId v, std::size_t i, NodeId first, NodeId count) const;

  private:
    /// The offsets of node numbers along one dimension, or along several that form one progression.
    struct Offsets {
        NodeId stride;
        NodeId count;
    };
    using OffsetLists = boost::container::small_vector<Offsets, 4>;

    /// Adds an axis; merges it with an axis that it continues.
    static void add(OffsetLists& axes, Offsets axis);

    const Grid* grid_;
    std::vector<int> order_;
    std::vector<OffsetLists> later_;  ///< the axes after each dimension of the order
};

/// Returns the dimensions 0, 1, ... of a grid.
[[nodiscard]] std::vector<unsigned> ascending_dimensions(const Grid& grid);

}  // namespace kport
