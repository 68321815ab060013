/// @file retelling.hpp   Repeats a recorded schedule by replay, followers and mover.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/stress/subject.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/execution.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Repeats a lawful schedule of the case: replayed (packets), followed by programs in lockstep and free, and its bytes
/// moved without programs, on one or two threads and in slices of a random size. Returns the first difference from its
/// audit; empty if there is none, or if it was stopped. Calls ran() after each repetition that compared bytes.
///
/// Cost   three to four runs.
[[nodiscard]] std::string told_differently(const Schedule& schedule, const Case& c, const Verdict& of_schedule,
                                           Dice& dice, const std::function<void(const Executions&)>& ran,
                                           const std::atomic<bool>* stop);

/// Returns the results of nodes that follow the schedule, as RunResult::results, without any code of the engines. A
/// node combines the values of a round by distance, the nearest first, of two equally near the lower one
/// (node/fold_order.hpp gives the reason).
/// Returns nothing if a message carries less than all that its sender has, for values of several segments, in runs or
/// of no bytes, and for a scan.
/// Cost   O(bytes moved).
[[nodiscard]] std::optional<std::vector<std::string>> refolded(const Schedule& schedule, const Case& c);

}  // namespace kport
