/// @file groups.hpp   Collectives in groups of nodes, all at once (Collective::groups).
#pragma once

#include <optional>
#include <string>

#include "algorithms/run_algorithm.hpp"

namespace kport {

/// Returns why the algorithm cannot run in some group, as a clause; nothing if it can in all. Requires Collective::groups.
[[nodiscard]] std::optional<std::string> misfit_in_groups(const Algorithm& algorithm, const Machine& machine,
                                                          const Collective& collective,
                                                          const AlgorithmOptions& options);
/// Returns the rounds of the longest group, the work of all, and what rounds cost together as far as one group, or equal ones, tell.
[[nodiscard]] ExpectedCost expected_in_groups(const Algorithm& algorithm, const Machine& machine,
                                              const Collective& collective, const AlgorithmOptions& options);
/// Runs every group with its bytes as a machine of its own, and puts their transfers into the same rounds of the whole machine, where
/// they are audited together: ports, channels and routes. Messages of different groups that need one channel go in turn: the later
/// group's round follows. Counts are of all groups together. Throws as run_algorithm().
[[nodiscard]] RunResult run_in_groups(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                      const AlgorithmOptions& options, const Payload& payload,
                                      const RunOptions& run_options);

}  // namespace kport
