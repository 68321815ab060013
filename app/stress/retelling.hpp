/// @file retelling.hpp   Repeats of a recorded schedule by replay, followers and mover.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "app/stress/subject.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/base/dice.hpp"
#include "emulator/engine/execution.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A lawful schedule of the case replayed (packets), followed by programs in lockstep and free, and its bytes moved alone, on one thread or
/// two and in slices of a size drawn. What differs from its audit, in a sentence; empty if nothing does, or if it was to stop.
/// Calls ran() after each of them that compared bytes.
///
/// Cost   three to four runs.
[[nodiscard]] std::string told_differently(const Schedule& schedule, const Case& c, const Verdict& of_schedule,
                                           Dice& dice, const std::function<void(const Executions&)>& ran,
                                           const std::atomic<bool>* stop);

}  // namespace kport
