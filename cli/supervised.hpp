/// @file supervised.hpp   Code that may crash goes on in a process of its own; another one waits for it, and tells how it ended.
#pragma once

#include <string>

namespace kport::cli {

/// From here on this program goes on in a child process. Where that crashes or calls exit(), the process that waits says so, naming
/// `what`, and ends with status 4; else as the child. Does nothing where it was called before. Callers: one thread, while no
/// other runs. Throws OutputError where the system gives no process.
void go_on_supervised(const std::string& what);

/// Whether this is such a child.
[[nodiscard]] bool supervised();

/// main() returns through it: the process that waits then knows that the end is the program's own.
[[nodiscard]] int last_word(int status);

}  // namespace kport::cli
