/// @file judged.hpp   Judges a run that another process has made, from what moved.
#pragma once

#include <cstdint>

#include "app/session/run.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// What a run says of itself that its transfers do not show. The findings of its verdict can make a verdict worse, never better; its
/// results are shown only if the run is broken or holds no bytes; engine, times and threads are taken as they are.
struct RunClaims {
    RunResult result = {};
    std::uint64_t peak_rss_bytes = 0;
};

/// Judges what moved by every rule, moves its bytes again and compares them, and puts it beside the lower bounds. Counts, costs,
/// bytes and delivery come from the schedule alone. A reduction is folded again if the schedule is lawful. Faults are
/// injected here, into a run that follows the schedule.
///
/// Requires  chosen.algorithm->make follows the schedule (algorithms/support/planned.hpp).
/// Errors    as audit() and run().
[[nodiscard]] Outcome judged(const Chosen& chosen, const Schedule& schedule, const RunClaims& claims,
                             const Caller& caller = {});

}  // namespace kport
