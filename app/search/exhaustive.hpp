/// @file exhaustive.hpp   The search without a solver: every schedule of a small machine, as far as it can matter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "app/search/problem.hpp"

namespace kport::search {

/// Sets of nodes are bits of a word; beyond that many nodes it would take years.
inline constexpr Node32 exhaustive_nodes_max = 32;

/// What a search for a schedule of so many rounds has found.
enum class Answer : std::uint8_t { yes, no, stopped };

/// A broadcast of at most `rounds` rounds. Goes from one set of informed nodes to those that a round can inform and that are part
/// of no other such, and remembers which led nowhere; gives up sets that are too small, or too far from a node, for the rounds
/// that are left. `calls` are set where the answer is yes. At most exhaustive_nodes_max nodes.
[[nodiscard]] Answer search_exhaustively(const Graph& graph, std::span<const Node32> sources, Port ports, Round rounds,
                                         const Stop& stop, Calls& calls);

}  // namespace kport::search
