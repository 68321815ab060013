/// @file replay.hpp   Replays a schedule of packets transfer by transfer, without programs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "emulator/engine/job.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// How a schedule is replayed.
struct ReplayOptions {
    bool payload = true;  ///< false: sizes are counted, no bytes are held
    std::uint64_t seed = 1;
    bool per_round = false;
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
/// It is for schedules that no program could follow: with injected faults, say. Lawful ones, and all of reductions, are
/// followed by programs (engine/script.hpp).
///
/// Threads  one.
/// Errors   as audit(); RequestError for a reduction and where messages have contents; std::bad_alloc.
[[nodiscard]] RunResult replay(const Schedule& schedule, const Machine& machine, const Collective& collective,
                               const ReplayOptions& options);

}  // namespace kport
