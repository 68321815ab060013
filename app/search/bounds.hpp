/// @file bounds.hpp   Lower bounds on the rounds that a search tries to find. Each holds for every schedule.
#pragma once

#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/problem.hpp"

namespace kport::search {

/// Returns the arguments for a lower bound, at least one, the binding one first.
///
/// For a broadcast: eccentricity, fan-out, degrees, chains of sends (bounds/counting.hpp). For a gossip: diameter,
/// fan-out, and those of a broadcast from each node.
[[nodiscard]] std::vector<Argument> lower_bounds_of(const Problem& problem, const Graph& graph);

/// Returns their largest value.
[[nodiscard]] Round bound_of(const std::vector<Argument>& arguments);

}  // namespace kport::search
