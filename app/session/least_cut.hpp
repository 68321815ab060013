/// @file least_cut.hpp   The least over all cuts of a message, without a look at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kport {

/// The least M with packets of the size that M = `packets` has.
[[nodiscard]] std::uint64_t fewest_packets(std::uint64_t units, std::uint64_t packets);

/// Of the M from `low` to `high` those that are the least with packets of their size, and `low`; nothing where these are more than
/// `few`.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> cuts_between(std::uint64_t units, std::uint64_t low,
                                                                     std::uint64_t high, std::size_t few);

/// The least of a latency over the cuts of `units` into M = 1..`most` packets of ceil(units / M). Where it grows neither with a
/// smaller M nor with smaller packets, of the M with packets of one size the smallest costs least: there are about 2 sqrt(units)
/// sizes. Ranges of these M are halved, the one with the least bound first, until that bound is met by a cut.
///
/// least_from   no cut from low to high packets has less; of low == high its latency.
/// tries        so many halvings at most: then a bound is returned that holds for all cuts, and no cut may meet it.
[[nodiscard]] double least_over_cuts(std::uint64_t units, std::uint64_t most,
                                     const std::function<double(std::uint64_t low, std::uint64_t high)>& least_from,
                                     int tries);

}  // namespace kport
