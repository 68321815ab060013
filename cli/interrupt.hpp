/// @file interrupt.hpp   Ctrl-C ends a run after its round, a measurement after its sample; a second one ends the program.
#pragma once

#include <atomic>

namespace kport::cli {

/// From now on the first SIGINT or SIGTERM sets the flag, and the next one kills. Also makes a file size limit an error
/// of write() instead of a death.
void listen_for_signals();

/// Whether one has come.
[[nodiscard]] const std::atomic<bool>& interrupted();

}  // namespace kport::cli
