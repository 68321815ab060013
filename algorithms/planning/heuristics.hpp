/// @file heuristics.hpp   Fast broadcast schedules that need not be the shortest.
#pragma once

#include <span>

#include "algorithms/planning/graph.hpp"

namespace kport::planning {

/// Along the shortest-path trees with the lowest numbered parents; serves first the child that needs the most rounds.
[[nodiscard]] Calls farthest_first(const Graph& graph, std::span<const Node32> sources, Port ports);

/// Along trees built from the farthest nodes inwards: in each layer the nodes, by descending need of rounds, choose the
/// parent whose own need grows least.
[[nodiscard]] Calls best_tree(const Graph& graph, std::span<const Node32> sources, Port ports);

/// Recomputes the trees of best_tree() in each round from the nodes informed so far, and uses only the need of each
/// node: uninformed neighbours of informed nodes are matched with them, the greatest need first (after Harutyunyan,
/// Shao 2006; Scheuermann, Wu 1984). Empty if it was stopped.
///
/// Cost     O(rounds (N + channels) log N) and the matchings.
[[nodiscard]] Calls layered(const Graph& graph, std::span<const Node32> sources, Port ports, const Stop& stop);

}  // namespace kport::planning
