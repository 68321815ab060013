/// @file switching.hpp   The cost of switching between tasks and between coroutines on one thread.
#pragma once

#include "app/chip/sampling.hpp"

namespace kport::chip {

// Each returns ns, on the calling thread. Throws Stopped.

/// Spawns and runs a nearly empty oneTBB task, one of 256 that are awaited together.
[[nodiscard]] Statistics task_time(const Limits& limits);

/// Resumes a node program and returns when it suspends.
[[nodiscard]] Statistics resume_time(const Limits& limits);

/// Creates a node program, runs it from beginning to end, and gives its frame back.
[[nodiscard]] Statistics program_time(const Limits& limits);

}  // namespace kport::chip
