/// @file counting.hpp   Exact integers for lower bounds, on machines of up to 2^40 nodes.
#pragma once

#include <cstdint>

namespace kport::bounds {

/// Wide enough for the sum of all distances of a line of 2^40 nodes (below 2^120) and for any volume in bytes.
__extension__ using Count = unsigned __int128;

/// Returns the smallest r with base^r >= n: the rounds of a set that grows at most base-fold a round. base >= 2, n >=
/// 1. O(log n), exact.
[[nodiscard]] std::uint64_t ceil_log(std::uint64_t base, std::uint64_t n);

[[nodiscard]] constexpr Count ceil_div(Count a, Count b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Returns how many nodes at most receive a message over a chain of `least_hops` or more messages within `rounds`
/// rounds, if each holder sends to at most `ports` others a round; capped at `enough`.
///
/// A node is identified by the rounds of its chain, which increase, and by the choice among `ports` in each: over l
/// messages there are C(rounds, l) * ports^l such chains, summed over l >= least_hops. With least_hops = 0 it is
/// (ports+1)^rounds.
/// Cost      O(min(rounds - least_hops, log enough)): from the longest chains down, until enough is reached.
[[nodiscard]] std::uint64_t reachable_over(std::uint64_t least_hops, std::uint64_t rounds, std::uint64_t ports,
                                           std::uint64_t enough);

}  // namespace kport::bounds
