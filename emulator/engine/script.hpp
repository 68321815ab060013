/// @file script.hpp   A schedule as a node program.
#pragma once

#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A job in which every node follows the schedule: it receives the schedule's messages to it, and sends in the schedule's
/// rounds. Reductions fold as replay() does: every message carries its sender's partial result, folded on
/// the side of its contributions, and the result packet (result_packet()) the result.
///
/// For a lawful schedule the run makes the same transfers in the same rounds, on any engine.
///
/// Memory   about 32 bytes a transfer beside the schedule, which must outlive the job.
/// Errors   RequestError for an invalid schedule of this topology (require_well_formed()), and for one in which a round passes
///          without a transfer that it does not name as silent: no program lets that happen, and audit() says that the rule is
///          broken.
[[nodiscard]] Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective);

}  // namespace kport
