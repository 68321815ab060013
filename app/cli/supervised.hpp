/// @file supervised.hpp   Code from a file runs in a process of its own. Another process, which never loads it, judges and reports.
#pragma once

#include <memory>
#include <string>

#include "app/cli/code_process.hpp"
#include "app/cli/commands.hpp"

namespace kport::cli {

/// The judge's side: what the process with the code reports through a pipe that only these two processes have. Nothing is trusted:
/// a report is data to be parsed.
///
/// While next() waits, it passes what the code prints to standard error, and signals to the process. The destructor ends that process
/// and all that it has started. One thread.
class Supervision {
  public:
    ~Supervision();
    Supervision(const Supervision&) = delete;
    Supervision& operator=(const Supervision&) = delete;

    /// The kind of the next piece, whose bytes are appended. Signs of life are left out.
    ///
    /// Errors   NoVerdict if the process ends, stops, is silent for 10 s, or sends what is no piece; DoesNotFit if memory runs short.
    Piece next(std::string& bytes);

  private:
    class Impl;
    friend std::unique_ptr<Supervision> supervise(const std::string& what);
    explicit Supervision(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Forks: returns null in the new process, which may load the code, and the supervision of it in this one. The new process
/// has no terminal, no standard input, and none of the files that this one has opened; both standard outputs of it are pipes. `what`: the
/// files with the code. Callers: one thread, while no other runs. Throws OutputError where the system gives no process.
[[nodiscard]] std::unique_ptr<Supervision> supervise(const std::string& what);

/// Whether a signal has come to this process that went to one with code.
[[nodiscard]] bool passed_signal_on();

}  // namespace kport::cli
