/// @file replay.hpp   Replays a schedule transfer by transfer, without programs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "emulator/audit/auditor.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// How a schedule is to be replayed.
struct ReplayOptions {
    bool payload = true;  ///< false: sizes are counted, no bytes are held
    std::uint64_t seed = 1;
    bool per_round = false;
    Reduction reduction;                      ///< of reduce, allreduce
    Round last_round = 0;                     ///< the replay ends after it, as if stopped; 0: no limit
    Round max_rounds = 0;                     ///< the same, and RunResult::out_of_rounds tells it
    const std::atomic<bool>* stop = nullptr;  ///< when set, the replay ends after the current round
    ProgressFunction progress;                ///< called by the running thread about five times a second
    /// Whether a bit of the message changes on its way; null: never. For showing that it is seen.
    std::function<bool(Round, const Transfer&)> corrupts;
    /// Whether its bytes get lost.
    std::function<bool(Round, const Transfer&)> loses;
};

/// Replays a schedule on a machine. Every transfer copies the bytes as the sender held them before the round; at the end
/// all that was received is compared with what its owner has. A sender that holds nothing moves nothing, and its receiver
/// then differs. Judged as audit() does; of a lawful run that was recorded the verdict is the same again.
///
/// Reductions  every message carries what the sender has folded so far, and the receiver folds it in, on the side on which
///             its contributions stand; the result packet (result_packet()) carries the whole. The nodes that have the whole
///             at the end give it as their result, which must be what a fold of the contributions gives. A message that names a part
///             of what its sender has folded is lawful, but cannot be replayed so: the verdict tells of what came twice.
///
/// Threads  one.
/// Errors   as audit(); std::bad_alloc.
[[nodiscard]] RunResult replay(const Schedule& schedule, const Machine& machine, const Collective& collective,
                               const ReplayOptions& options);

}  // namespace kport
