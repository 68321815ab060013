/// @file dimension_tree.hpp   The dimension-ordered spanning tree (DOST) of meshes and tori (model.md section 3.6).
#pragma once

#include <cstdint>

#include <boost/container/small_vector.hpp>

#include "algorithms/catalogue.hpp"
#include "emulator/topology/grid.hpp"

namespace kport {

/// One direction in which a node sends: the port, the number of nodes of the line there, the distance of the last node behind.
struct TreeArm {
    Port port;
    NodeId length;
    Hops height;
};

/// Few, and asked for by every node: no memory of their own.
using TreeArms = boost::container::small_vector<TreeArm, 8>;

enum class ArmOrder : std::uint8_t { farthest_first, nearest_first };

/// The arms of v in the tree from a source, the highest first: on along the dimension in which it was reached, and both ways
/// along all later ones. On this tree height, number of nodes and broadcast time give the same order; the height needs no
/// table.
[[nodiscard]] TreeArms tree_arms(const Grid& grid, NodeId source, NodeId v, ArmOrder order);

/// The tree's cost with the farthest arm first, with a derivation.
[[nodiscard]] ExpectedCost dimension_tree_cost(const Machine& machine, const Grid& grid, NodeId source);

}  // namespace kport
