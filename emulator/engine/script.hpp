/// @file script.hpp   A schedule as a node program: every node does its part of it.
#pragma once

#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A job in which every node does what the schedule says: it receives what the schedule sends it, and sends in the rounds
/// in which it is to send. Reductions fold as replay() does: every message carries what its sender has folded so far, on
/// the side on which its contributions stand, and the result packet (result_packet()) the whole.
///
/// Of a lawful schedule the run makes the same transfers in the same rounds, on any engine.
///
/// Memory   about 32 bytes a transfer beside the schedule, which must outlive the job.
/// Errors   RequestError for what is no schedule of this topology (require_well_formed()).
[[nodiscard]] Job job_following(const Schedule& schedule, const Machine& machine, const Promise& promise);

}  // namespace kport
