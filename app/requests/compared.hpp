/// @file compared.hpp   Comparisons as text and JSON.
#pragma once

#include <string>

#include "app/files/json_report.hpp"
#include "app/session/comparison.hpp"
#include "emulator/report/table.hpp"

namespace kport::requests {

/// Why the algorithm is not here, in the words of the command line.
[[nodiscard]] std::string why_not_here(const Misfit& misfit);

/// A measured value, green if it equals the bound.
[[nodiscard]] Cell measured_cell(const Report& report, double measured, const BoundLine& bound);
/// Nanoseconds of wall time; empty in a reproducible report, and where the run was too short to be timed.
[[nodiscard]] std::string ns_a_message(const Report& report);

/// The machine, its bounds, "runs", "not_applicable" and "stopped".
[[nodiscard]] Json comparison_json(const Comparison& comparison, const BoundLines& bounds);

}  // namespace kport::requests
