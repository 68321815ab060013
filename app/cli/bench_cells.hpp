/// @file bench_cells.hpp   The cells of a bench: planned, admitted, audited, measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/measure/contender.hpp"
#include "app/measure/measurement.hpp"
#include "app/requests/several.hpp"
#include "emulator/report/report.hpp"

namespace kport::cli {

/// A combination of machine, sizes and threads. It was measured, or it says why not.
struct BenchCell {
    measure::Task task;               ///< its algorithm is null where none could be chosen
    std::vector<std::string> values;  ///< one for each column of the bench
    std::optional<Report> report;     ///< of the audited run
    std::optional<measure::Measurement> measured;
    std::string why_not;
    int status = 0;  ///< Status
};

struct Bench {
    std::string heading;
    std::vector<std::string> columns;  ///< what differs between the cells
    std::vector<BenchCell> cells;
    bool stopped = false;
};

/// Memory that a repetition gives back stays with the process: the next one finds it warm, as it finds the memory of its
/// yardsticks. Otherwise large payloads would be timed together with the system that clears their pages again and again.
void keep_memory();

/// What would be measured, with nothing allocated yet. A cell of many that does not fit is kept and says what it needs.
/// Throws RequestError for wrong words, DoesNotFit where the only cell does not fit.
[[nodiscard]] Bench planned(const Words& words);

/// Runs and measures cell by cell, with signs of life on standard error; ends early when interrupted() is set, and then
/// keeps what is known. `repetitions` and `seconds` as in measure::Turns. Throws what an engine throws.
void measure_all(Bench& bench, std::uint64_t repetitions, double seconds);

/// Once all is measured that will be: the cells that a stop has left out say so.
void tell_what_was_left_out(Bench& bench);

/// The exit status: stopped before all else, then the worst of the cells.
[[nodiscard]] int status_of(const Bench& bench);

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
