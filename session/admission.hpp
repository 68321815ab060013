/// @file admission.hpp   Checks that a run fits into memory, before anything is allocated.
#pragma once

#include "session/experiment.hpp"

namespace KPORT_PUBLIC kport {

/// The peak memory of a run of the algorithm by one process, an upper estimate; a double, because what is asked for may be absurdly
/// large. Without an algorithm: the part that every run takes.
[[nodiscard]] double bytes_needed(const Experiment& experiment, const Algorithm* algorithm);

/// Throws DoesNotFit, with the need and the available memory, unless such a run fits together with `besides` other bytes of each
/// process; what those on this computer need is counted together. Also if its counts would exceed 64 bits.
void admit(const Experiment& experiment, const Algorithm* algorithm, double besides = 0);

}  // namespace kport
