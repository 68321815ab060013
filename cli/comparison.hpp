/// @file comparison.hpp   Every algorithm that applies to one machine: chosen, admitted, run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.hpp"
#include "emulator/report/table.hpp"
#include "files/json_report.hpp"

namespace kport::cli {

struct Misfit {
    std::string_view algorithm;
    std::string why;
};

struct Comparison {
    Settings settings;
    std::vector<const Algorithm*> fitting;  ///< only the requested one, if any
    std::vector<Misfit> misfits;
    std::vector<Report> reports;  ///< of the first of `fitting`, in their order
    bool stopped = false;         ///< some algorithm was not run, or not to its end
};

/// The planned runs, before any allocation. Throws RequestError for an algorithm that is unknown or does not apply,
/// DoesNotFit for a machine that is too large.
[[nodiscard]] Comparison admitted(const Settings& settings);

/// Runs them all; ends early when interrupted() is set. `before` is called before each run.
void run_all(Comparison& comparison, const std::function<void(const Algorithm&)>& before);

/// The message if no algorithm applies.
[[nodiscard]] std::string no_algorithm_text(const Settings& settings);

/// The exit status: stopped first, then the worst of the runs.
[[nodiscard]] int status_of_all(const Comparison& comparison);

/// A measured value, green if it equals the bound.
[[nodiscard]] Cell measured_cell(const Report& report, double measured, const BoundLine& bound);
/// Nanoseconds of wall time.
[[nodiscard]] std::string ns_a_message(const Report& report);

/// The machine, its bounds, "runs", "not_applicable" and "stopped".
[[nodiscard]] Json json_of(const Comparison& comparison, const BoundLines& bounds);

}  // namespace kport::cli
