/// @file heuristics.hpp   Broadcast schedules that are found fast and need not be the shortest.
#pragma once

#include <span>

#include "algorithms/planning/graph.hpp"

namespace kport::planning {

/// Along the shortest-path trees with the lowest numbered parents, the child first that needs the most rounds.
[[nodiscard]] Calls farthest_first(const Graph& graph, std::span<const Node32> sources, Port ports);

/// The same along trees built from the farthest nodes inwards: in each layer the nodes in descending order of the rounds that they
/// need choose the parent whose own rounds grow least.
[[nodiscard]] Calls best_tree(const Graph& graph, std::span<const Node32> sources, Port ports);

/// The trees of best_tree(), built anew in each round from the nodes informed so far; of these trees only the rounds that each node
/// needs are used: the uninformed neighbours of informed nodes are matched with them, those that need the most first (after
/// Harutyunyan, Shao 2006; Scheuermann, Wu 1984). Empty where it was stopped.
///
/// Cost     O(rounds (N + channels) log N) and the matchings.
[[nodiscard]] Calls layered(const Graph& graph, std::span<const Node32> sources, Port ports, const Stop& stop);

}  // namespace kport::planning
