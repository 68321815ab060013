/// @file bench_output.hpp   A bench as a table, as CSV, as a plot, and in the JSON format of Google Benchmark, so that its tools read it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/bench_cells.hpp"
#include "app/files/json_report.hpp"
#include "app/measure/calibration.hpp"
#include "emulator/report/table.hpp"

namespace kport::cli {

/// "context" and "benchmarks": of every contender of every cell a row for each repetition, and its mean, median, standard
/// deviation and coefficient of variation. Names are those of the tasks; yardsticks add "/memcpy" and "/bare_loop".
[[nodiscard]] Json bench_json(const Bench& bench);

/// Throws RequestError unless sizes or machines differ: the axis would have a single point.
void require_plottable(const Bench& bench);

/// The picture as SVG, of at least one cell that was measured. The bound is the lower bound on latency at the fitted prices; a price
/// below 0 counts as 0 there.
[[nodiscard]] std::string bench_plot(const Bench& bench, const std::vector<measure::Calibration>& calibrations);

/// A time with three digits: "813 ns", "12.3 us", "4.56 ms", "1.23 s".
[[nodiscard]] std::string short_time(double seconds);

/// The heading, a row for each cell, and the meaning of the columns.
[[nodiscard]] std::string bench_table(const Bench& bench, const Paint& paint, std::size_t width);

/// Always the same columns. A cell that was not measured has a row without times.
[[nodiscard]] std::string bench_csv(const Bench& bench);

}  // namespace kport::cli
