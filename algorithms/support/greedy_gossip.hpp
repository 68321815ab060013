/// @file greedy_gossip.hpp   Gossips planned for any graph: in each round the messages that bring the most.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/catalogue.hpp"

namespace kport {

/// The row `greedy-gossip` of an all-to-all broadcast or scatter, a barrier, an all-reduce or a scan: nodes follow the shortest of
/// some greedy gossips (planning/gossip.hpp). Costs are counted where the plan is small.
///
/// combining   what `needs` says of it: ", combining"; empty: nothing
/// Cost        of a plan: O(tries rounds channels N / 64), some hundredths of a second; for an all-to-all scatter O(N^3 / 64) more
[[nodiscard]] Algorithm gossip_row(const Operation& operation, std::string rule, std::string_view combining);

}  // namespace kport
