/// @file bench_json.hpp   A bench in the JSON format of Google Benchmark, so that its tools read it.
#pragma once

#include "app/cli/bench_cells.hpp"
#include "app/files/json_report.hpp"

namespace kport::cli {

/// "context" and "benchmarks": of every contender of every cell a row for each repetition, and its mean, median, standard
/// deviation and coefficient of variation. Names are those of the tasks; yardsticks add "/memcpy" and "/bare_loop".
[[nodiscard]] Json bench_json(const Bench& bench);

}  // namespace kport::cli
