/// @file bounds.hpp   Lower bounds on the rounds of what is searched for. Each holds for every schedule.
#pragma once

#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/problem.hpp"

namespace kport::search {

/// The arguments for a lower bound, the one that binds first. At least one.
///
/// Of a broadcast: eccentricity, fan-out, degrees, chains of sends (bounds/chains.hpp). Of a gossip: diameter, fan-out, and
/// the same for a broadcast from each node.
[[nodiscard]] std::vector<Argument> lower_bounds_of(const Problem& problem, const Graph& graph);

/// Their value.
[[nodiscard]] Round bound_of(const std::vector<Argument>& arguments);

}  // namespace kport::search
