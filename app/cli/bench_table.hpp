/// @file bench_table.hpp   A bench as a text table and as CSV.
#pragma once

#include <string>

#include "app/cli/bench_cells.hpp"
#include "emulator/report/table.hpp"

namespace kport::cli {

/// A time with three digits: "813 ns", "12.3 us", "4.56 ms", "1.23 s".
[[nodiscard]] std::string short_time(double seconds);

/// The heading, a row for each cell, and the meaning of the columns.
[[nodiscard]] std::string bench_table(const Bench& bench, const Paint& paint, std::size_t width);

/// Always the same columns. A cell that was not measured has a row without times.
[[nodiscard]] std::string bench_csv(const Bench& bench);

}  // namespace kport::cli
