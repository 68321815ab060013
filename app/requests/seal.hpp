/// @file seal.hpp   Takes rights from a process that is about to run a stranger's program.
#pragma once

namespace kport::requests {

/// Seals this process: from now on the kernel ends it where it starts a thread or a process, opens a file for writing, opens a
/// connection, or reads another process's memory. Cannot be undone. Throws RequestError where the system cannot do that.
void seal_process();
/// Whether this process is sealed: nothing here may start a thread.
[[nodiscard]] bool sealed();

}  // namespace kport::requests
