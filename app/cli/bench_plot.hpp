/// @file bench_plot.hpp   A bench as a plot: measured times, fitted times, lower bound.
#pragma once

#include <string>
#include <vector>

#include "app/cli/bench_cells.hpp"
#include "app/measure/calibration.hpp"

namespace kport::cli {

/// Throws RequestError unless sizes or machines differ: the axis would have a single point.
void require_plottable(const Bench& bench);

/// The picture as SVG, of at least one cell that was measured. The bound is the lower bound on latency at the fitted prices; a price
/// below 0 counts as 0 there.
[[nodiscard]] std::string bench_plot(const Bench& bench, const std::vector<measure::Calibration>& calibrations);

}  // namespace kport::cli
