/// @file fresh_process.hpp   A run in a process of its own.
#pragma once

#include <optional>
#include <string>

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// Starts this program anew with the argument --run=NAME and reads the outcome that it prints with print_outcome(). No run
/// profits from memory that another has warmed, and its peak of resident memory is its own. Nothing if the process failed.
[[nodiscard]] std::optional<Outcome> run_in_fresh_process(const std::string& name);

/// The other end: prints to standard output for run_in_fresh_process().
void print_outcome(const Outcome& outcome);

}  // namespace kport::bench
