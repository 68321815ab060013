/// @file dimension_tree.hpp   The dimension-ordered spanning tree (DOST) of meshes and tori (model.md section 3.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "algorithms/catalogue.hpp"
#include "emulator/topology/grid.hpp"

namespace kport {

/// One direction in which a node sends: the port, the number of nodes of the line there, the distance of the last node
/// behind.
struct TreeArm {
    Port port;
    NodeId length;
    Hops height;
};

/// Short lists, needed by every node: without heap memory.
using TreeArms = boost::container::small_vector<TreeArm, 8>;

enum class ArmOrder : std::uint8_t { farthest_first, nearest_first };

/// The tree from a source. A node forwards along the dimension in which it was reached, and both ways along all later
/// ones. The arms are ordered by height, on which number of nodes and broadcast time agree; it needs no table.
///
/// Callers   any thread.
class DimensionTree {
  public:
    /// The grid must outlive the tree.
    DimensionTree(const Grid& grid, NodeId source, ArmOrder order);

    /// Returns the arms of v, in order. Among equal heights the lower dimension comes first, then plus.
    [[nodiscard]] TreeArms arms(NodeId v) const;
    /// Returns the arm by a port, which must exist.
    [[nodiscard]] TreeArm arm(NodeId v, Port port) const;
    /// Returns the port of the first arm, and of the one after `last`; no_port: there is none. O(dimensions).
    [[nodiscard]] Port first(NodeId v) const;
    [[nodiscard]] Port next(NodeId v, Port last) const;

  private:
    /// The source's place in a dimension.
    struct SourcePlace {
        NodeId at;
        NodeId side;
        Grid::Arms arms;
    };
    /// The dimension in which the tree reaches a node, and the node's position there; -1: it is the source.
    struct Reached {
        int dimension;
        NodeId at;
    };
    [[nodiscard]] Reached reached(NodeId v) const;
    /// Whether that is the last dimension, as for most nodes. Inline: called for every node.
    [[nodiscard]] bool is_reached_last(NodeId v) const {
        return grid_.coordinate(v, grid_.dimensions() - 1) != source_.back().at;
    }
    /// Returns the arm along that dimension.
    [[nodiscard]] TreeArm arm_on(const Reached& node) const;
    [[nodiscard]] const TreeArms& later_than(const Reached& node) const {
        return later_[static_cast<std::size_t>(node.dimension + 1)];
    }
    /// How the tree reaches a node.
    struct Way {
        TreeArm on;             ///< along the dimension in which it was reached; length 0: it ends here
        const TreeArms& later;  ///< arms of all later dimensions
        std::size_t place;      ///< index of `on` among `later`
    };
    [[nodiscard]] Way way_to(NodeId v) const;
    [[nodiscard]] bool goes_first(const TreeArm& a, const TreeArm& b) const {
        return order_ == ArmOrder::farthest_first ? a.height > b.height : a.height < b.height;
    }

    const Grid& grid_;
    ArmOrder order_;
    std::vector<SourcePlace> source_;  ///< by dimension
    std::vector<Hops> cover_;          ///< by dimension i: the distance of the farthest node in dimensions i and later
    std::vector<TreeArms> later_;      ///< by dimension i: the source's arms in dimensions i and later, in their order
};

/// Returns the tree's cost with the farthest arm first, with a derivation.
[[nodiscard]] ExpectedCost dimension_tree_cost(const Machine& machine, const Grid& grid, NodeId source);

}  // namespace kport
