/// @file refolding.hpp   The results of a reduction that follows a schedule, folded here once more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/stress/subject.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The results that nodes give which follow the schedule, as RunResult::results; includes nothing of how the engines fold. Of the
/// values of a round a node folds the nearest first, of two as near the one below (node/fold_order.hpp says why).
/// Nothing where a message carries less than all that its sender has, for values of several segments, in runs or of no bytes, and
/// for a scan.
/// Cost   O(bytes moved).
[[nodiscard]] std::optional<std::vector<std::string>> refolded(const Schedule& schedule, const Case& c);

}  // namespace kport
