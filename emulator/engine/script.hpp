/// @file script.hpp   A schedule as a node program.
#pragma once

#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A job in which every node follows the schedule: it receives the schedule's messages to it, and sends in the schedule's
/// rounds. Of a reduction only the result packet (result_packet()) is read: there a message carries the result, and all others
/// carry what their sender has folded so far, which is folded by the order of nodes (engine/fold_order.hpp). So the
/// reversed schedule of a broadcast is one of a reduction, too. A node that has all contributions of its result at the end
/// gives it, and of a reduce the root in any case. A message that names a part of what its sender has folded is lawful. Of a scan
/// it carries those values that came to its sender and are in that part, elsewhere the whole: nobody follows it there.
///
/// For a lawful schedule the run makes the same transfers in the same rounds, on any engine.
///
/// Memory   32 bytes a transfer and 8 a node beside the schedule, which must outlive the job.
/// Errors   RequestError for a schedule that audit() refuses (of a reduction whatever it calls what moves), and for one in which
///          a round passes without a transfer that it does not name as silent: no program lets that happen, and audit() says that
///          the rule is broken.
[[nodiscard]] Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective);

}  // namespace kport
