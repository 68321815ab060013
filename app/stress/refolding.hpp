/// @file refolding.hpp   Computes the results of a reduction that follows a schedule, independently of the engines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/stress/subject.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Returns the results of nodes that follow the schedule, as RunResult::results, without any code of the engines. A
/// node combines the values of a round by distance, the nearest first, of two equally near the lower one
/// (node/fold_order.hpp gives the reason).
/// Returns nothing if a message carries less than all that its sender has, for values of several segments, in runs or
/// of no bytes, and for a scan.
/// Cost   O(bytes moved).
[[nodiscard]] std::optional<std::vector<std::string>> refolded(const Schedule& schedule, const Case& c);

}  // namespace kport
