/// @file priced_rounds.hpp   Broadcasts of low latency over links that have prices.
#pragma once

#include <cstdint>
#include <span>

#include "algorithms/planning/graph.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::planning {

/// Whether plan_by_prices() plans for the machine: links with prices, no switches or trunks, few enough nodes and channels.
[[nodiscard]] bool plans_by_prices(const Machine& machine);

/// A broadcast of messages of so many bytes over single links, for a low latency rather than few rounds.
///
/// Idea     A round costs as much as its dearest message, so from a set of informed nodes only the largest rounds over links
///          of at most some price need to be tried, for each price. A beam search over sets of informed nodes keeps those
///          for which the latency so far, and the dearest way to an uninformed node, promise least.
/// Cost     some 2^21 looks at links a round
[[nodiscard]] Calls plan_by_prices(const Machine& machine, std::span<const Node32> sources, std::uint64_t bytes);

}  // namespace kport::planning
