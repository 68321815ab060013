/// @file trees.hpp   Broadcasts along trees, and the exact rounds of trees (Slater, Cockayne, Hedetniemi 1981).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/planning/graph.hpp"

namespace kport::planning {

/// Trees that together reach every node, each from a source: the parent of each node; for a source no node.
using Parents = std::vector<Node32>;

/// Returns the rounds of node v, whose children need `below` rounds, in descending order: the i-th (from 0) is informed
/// in round floor(i / k) + 1.
[[nodiscard]] std::uint32_t rounds_with_children(std::span<const std::uint32_t> below, Port ports);

/// The best order along such trees: each node serves first the child that needs the most rounds. Parents must be nearer
/// to a source than their children. O(N log N).
[[nodiscard]] Calls along(const Graph& graph, std::span<const std::uint32_t> distance, const Parents& parent,
                          Port ports);

/// Returns the lowest numbered parents. `distance` from the sources. O(channels).
[[nodiscard]] Parents lowest_parents(const Graph& graph, std::span<const std::uint32_t> distance);

/// Returns the exact rounds of a broadcast in a tree, from each of its nodes. O(N log N).
[[nodiscard]] std::vector<std::uint32_t> rounds_in_tree(const Graph& tree, Port ports);

}  // namespace kport::planning
