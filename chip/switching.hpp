/// @file switching.hpp   What it costs one thread to turn to other work: a task, a coroutine.
#pragma once

#include "chip/sampling.hpp"

namespace kport::chip {

// Each in ns, on the calling thread. Throws Stopped.

/// To spawn a oneTBB task that does next to nothing and run it, among 256 that are waited for together.
[[nodiscard]] Statistics task_time(const Limits& limits);

/// To resume a node program and come back when it suspends.
[[nodiscard]] Statistics resume_time(const Limits& limits);

/// To make a node program, run it from its beginning to its end, and give its frame back.
[[nodiscard]] Statistics program_time(const Limits& limits);

}  // namespace kport::chip
