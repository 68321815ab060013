/// @file exhaustive.hpp   Exhaustive search without a solver, for small machines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "app/search/problem.hpp"

namespace kport::search {

/// Sets of nodes are bits of a word; larger machines would take years.
inline constexpr Node32 exhaustive_nodes_max = 32;

/// The result of searching for a schedule of so many rounds.
enum class Answer : std::uint8_t { yes, no, stopped };

/// Searches a broadcast of at most `rounds` rounds. Steps from one set of informed nodes to the maximal sets that a
/// round can inform, remembers failures, and prunes sets that are too small, or too far from a node, for the remaining
/// rounds. Sets `calls` if the answer is yes. At most exhaustive_nodes_max nodes.
[[nodiscard]] Answer search_exhaustively(const Graph& graph, std::span<const Node32> sources, Port ports, Round rounds,
                                         const Stop& stop, Calls& calls);

}  // namespace kport::search
