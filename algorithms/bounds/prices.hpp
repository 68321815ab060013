/// @file prices.hpp   Lower bounds of latency where links have different prices.
#pragma once

#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Returns the arguments for the latency on a machine whose links have prices of their own, the largest first: the
/// dearest relay that some packet needs, the rounds with a message dearer than each price, and the bounds on rounds, path sum and
/// volume at the least prices. The last one alone where the machine is too large for the others.
///
/// Cost   O(hosts) searches where messages have routes of several links, O(prices) of each; else a shortest-path search from each
///        end of a packet's way, and a search of the links for each price that joins hosts; within 2^26 steps.
[[nodiscard]] std::vector<Argument> priced_latency_arguments(const Facts& facts, const Derivation& found);

}  // namespace kport::bounds
