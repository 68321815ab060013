/// @file fresh_starts.hpp   A bench again, each time in a process of its own: where memory lies changes from start to start.
#pragma once

#include <string>
#include <vector>

#include "app/cli/bench_cells.hpp"

namespace kport::cli {

/// How many processes measure, and for how long a cell.
struct Starts {
    unsigned count = 1;
    double seconds = 1;  ///< for a cell, in each of them
};
/// --starts: 6 by default, with which an interval of their medians has 95 %; 1 where --repetitions is given.
[[nodiscard]] Starts starts_of(const Words& words);

/// The command that measures the same cells in one process, as JSON.
[[nodiscard]] std::vector<std::string> command_of_one_start(const Words& words, const Starts& starts);

/// Adds starts 2 to `starts.count` to cells that were measured once, with signs of life on standard error. Ends early when
/// interrupted() is set; a start that is cut short counts for nothing. Throws OutputError if a process cannot be started.
void measure_in_fresh_starts(Bench& bench, const Words& words, const Starts& starts);

}  // namespace kport::cli
