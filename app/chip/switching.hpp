/// @file switching.hpp   The cost of switching between tasks and between coroutines on one thread.
#pragma once

#include "app/chip/sampling.hpp"

namespace kport::chip {

// Each in ns, on the calling thread. Throws Stopped.

/// To spawn and run a nearly empty oneTBB task, one of 256 that are awaited together.
[[nodiscard]] Statistics task_time(const Limits& limits);

/// To resume a node program and come back when it suspends.
[[nodiscard]] Statistics resume_time(const Limits& limits);

/// To make a node program, run it from its beginning to its end, and give its frame back.
[[nodiscard]] Statistics program_time(const Limits& limits);

}  // namespace kport::chip
