/// @file script.hpp   A schedule as a node program.
#pragma once

#include <cstdint>

#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// What the transfers of a reduction's schedule name.
enum class Naming : std::uint8_t {
    contributions,  ///< those of the value that moves: as a run records them, and an audit reads them
    segments  ///< the segments of which a value moves: all that its sender has, as in a broadcast reversed in time
};

/// How often a node sends a packet.
enum class Sent : std::uint8_t {
    often,  ///< it keeps what it sends
    once  ///< it passes on what it sends (Node::pass), and does not keep it: of no operation whose nodes must hold it at the end
};

/// Whose routes the messages of a schedule take, on machines with switches.
enum class Routes : std::uint8_t {
    of_schedule,
    of_machine  ///< the schedule's ones only show that its messages can be sent
};

/// A job in which every node follows the schedule: it receives the schedule's messages to it, and sends in the schedule's
/// rounds. Of a reduction a message carries the value that has the contributions named, or results (result_packet()): a node
/// keeps the values that this takes, one sum if it always sends all that it has (node/kept_values.hpp). Where it cannot have
/// that value, because the schedule is unlawful, it sends what it has of it, or its own contribution. A node that has all
/// contributions of its result at the end gives it, and of a reduce the root in any case.
///
/// For a lawful schedule the run makes the same transfers in the same rounds, on any engine.
///
/// Memory   32 bytes a transfer and 8 a node beside the schedule, which must outlive the job; while a reduction whose
///          contributions are named is prepared, a set of them a node.
/// Errors   RequestError for a schedule that audit() refuses (of a reduction whatever it calls what moves), and for one in which
///          a round passes without a transfer that it does not name as silent: no program lets that happen, and audit() says that
///          the rule is broken.
[[nodiscard]] Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective,
                                Naming naming = Naming::contributions, Sent sent = Sent::often,
                                Routes routes = Routes::of_schedule);
/// Whether a job is one of job_following().
[[nodiscard]] bool follows_schedule(const Job& job);

}  // namespace kport
