/// @file admission.hpp   Checks that a run fits into memory, before anything is allocated.
#pragma once

#include <string>

#include "app/session/experiment.hpp"

namespace KPORT_PUBLIC kport {

/// The peak memory of a run of the algorithm by one process, an upper estimate; a double, because what is asked for may be absurdly
/// large. Without an algorithm: the part that every run takes.
[[nodiscard]] double bytes_needed(const Experiment& experiment, const Algorithm* algorithm);

/// Whether such a run fits into all of this computer's memory, what is left of this process's own limits, and what the experiment may
/// take: the same answer at any time, whatever else runs.
[[nodiscard]] bool may_fit(const Experiment& experiment, const Algorithm& algorithm);
/// "21.9 GiB", "0.082 GiB".
[[nodiscard]] std::string gib(double bytes);

/// What executes the nodes of such a run, as the estimate takes it. With `is_recorded` its transfers are recorded.
[[nodiscard]] Execution execution_of(const Experiment& experiment, const Algorithm* algorithm, bool is_recorded);

/// Throws DoesNotFit, with the need and the available memory, unless such a run fits together with `besides` other bytes of each
/// process; what those on this computer need is counted together. `is_recorded`: its transfers are recorded. Also if its counts would exceed 64 bits.
void admit(const Experiment& experiment, const Algorithm* algorithm, double besides = 0, bool is_recorded = false);

}  // namespace kport
