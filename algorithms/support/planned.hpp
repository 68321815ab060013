/// @file planned.hpp   Schedules that are planned: computed once, then followed by every node.
#pragma once

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The program of an algorithm whose schedule is computed in advance: each node sends and receives, in their rounds, what its
/// own lines of the plan say (engine/script.hpp). The plan lives as long as the programs. Where each packet is for one node alone
/// nobody else keeps it: a node passes on what it sends.
///
/// Errors   RequestError for a plan that is no schedule of this machine, or that lets a round pass without a transfer.
[[nodiscard]] Start following(Schedule plan, const Machine& machine, const Collective& collective);

/// The plan's costs, counted. O(transfers).
[[nodiscard]] ExpectedCost counted_cost(const Schedule& plan, const Machine& machine, const Collective& collective);

/// What a plan takes, for Algorithm::plan_bytes: of each transfer over one link its line, the two steps of its ends, and a
/// block of packets; and of each further block, in lists that take up to twice as much while they grow.
inline constexpr double plan_bytes_transfer = 112;
inline constexpr double plan_bytes_block = 48;
/// expect() makes plans up to this size to count their costs: they take some hundredths of a second.
inline constexpr double plan_bytes_counted = 4.0 * 1024 * 1024;

}  // namespace kport
