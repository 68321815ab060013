/// @file planned.hpp   Schedules that are computed once and then followed by every node.
#pragma once

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The program of an algorithm whose schedule is computed in advance: each node sends and receives, in their rounds,
/// what its lines of the plan say (engine/script.hpp). The plan lives as long as the programs. Where each packet is for
/// one node only, no other node keeps it: a node passes on what it sends.
///
/// Errors   RequestError for a plan that is no schedule of this machine, or that lets a round pass without a transfer.
[[nodiscard]] Start following(Schedule plan, const Machine& machine, const Collective& collective);

/// Returns the plan's costs, counted. O(transfers).
[[nodiscard]] ExpectedCost counted_cost(const Schedule& plan, const Machine& machine, const Collective& collective);

/// Returns the memory of a plan: for each message over one link its line and the two steps of its ends; and for each
/// block of packets, in lists that take up to twice as much while they grow.
[[nodiscard]] inline double plan_bytes(const PlanSize& plan) {
    constexpr double bytes_message = 112;
    constexpr double bytes_block = 48;
    return plan.messages * bytes_message + plan.blocks * bytes_block + plan.bytes;
}
/// expect() makes plans up to this size to count their costs, in some hundredths of a second.
inline constexpr double plan_bytes_counted = 4.0 * 1024 * 1024;

}  // namespace kport
