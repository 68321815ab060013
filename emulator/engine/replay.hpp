/// @file replay.hpp   A schedule run again: its payload moves transfer by transfer, no program runs.
#pragma once

#include <atomic>
#include <cstdint>

#include "emulator/audit/auditor.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// How a schedule is to be replayed.
struct ReplayOptions {
    bool payload = true;  ///< false: sizes are counted, no bytes are held
    std::uint64_t seed = 1;
    bool per_round = false;
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: the replay ends after the round at hand
};

/// Replays a schedule of a broadcast on a machine. Every transfer copies the packet's bytes as the sender held them before
/// the round; at the end every node that received is compared with the source. A sender that holds nothing moves nothing,
/// and its receiver then differs. Judged as audit() does; of a lawful run that was recorded the verdict is the same again.
///
/// Threads  one.
/// Errors   as audit(); std::bad_alloc.
[[nodiscard]] RunResult replay(const Schedule& schedule, const Machine& machine, const BroadcastPromise& promise,
                               const ReplayOptions& options);

}  // namespace kport
