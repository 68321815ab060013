/// @file greedy_routes.hpp   Packets that travel alone, planned for any graph.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

/// The row `greedy-routes` of an all-to-all scatter or a scatter: nodes follow the shortest of some plans
/// (planning/gossip.hpp, greedy_routes()). A scatter is for machines without combining: bundles go down trees. Costs are counted where the
/// plan is small.
[[nodiscard]] Algorithm routes_row(const Operation& operation);

}  // namespace kport
