/// @file results.hpp   The results of a reduction, checked against a sequential fold.
#pragma once

#include <string>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/promise.hpp"

namespace kport {

/// Folds the contributions one after the other and compares every node's result with it, byte for byte (sums of doubles that were
/// given: up to rounding); what differs is reported. Returns the first results as text (RunResult::results). O(N) folds, one task.
[[nodiscard]] std::vector<std::string> verify_results(const Folder& folder, const Promise& promise, NodeId nodes,
                                                      const HugeArray<Body*>& results, Auditor& auditor);

}  // namespace kport
