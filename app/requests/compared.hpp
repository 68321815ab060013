/// @file compared.hpp   Comparisons as text, JSON and curves: of one machine, of many, over sizes of a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/files/json_report.hpp"
#include "app/pictures/plot.hpp"
#include "app/requests/request.hpp"
#include "app/requests/several.hpp"
#include "app/session/comparison.hpp"
#include "app/session/experiment.hpp"
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

/// Looks at every machine before the first run, runs them one after the other, writes them all as a table, as CSV
/// or as JSON. Returns the exit status. Throws RequestError where a machine has no algorithm, DoesNotFit, and what an engine throws.
[[nodiscard]] Answer compare_on_many(Request& request, const Variants& variants);

/// Predicts for each size of --message, and writes text, JSON or CSV, and with --plot a picture. Returns the exit status.
/// Throws RequestError.
[[nodiscard]] Answer compare_on_sizes(Request& request, const Experiment& experiment);

/// Throws RequestError where no map can be drawn: anything but the source varies, or the machine is too large.
void require_map(const Variants& variants);

/// The machine for the lower bound and for each algorithm, each node coloured by what it costs as the source, as SVG. Nothing where
/// nothing ran. Throws RequestError for too many algorithms.
[[nodiscard]] std::optional<std::string> compare_map(const Words& words, const Variants& variants,
                                                     const Comparisons& all);

/// Throws RequestError where no plot of curves can be drawn: --plot-over names nothing that varies, or without it not exactly
/// one number (nodes of the topologies, bytes, ts, td, tm, source), or one list of words where no number varies.
void require_axis(const Words& words, const Variants& variants);

/// "broadcast on mesh:4x5, 1-port full duplex, ...": what all machines have in common.
[[nodiscard]] std::string title_of_plot(const Words& words, const Variants& variants);

/// A row for each machine, a column for each algorithm: what a run costs over its lower bound, as SVG. Nothing where nothing ran.
[[nodiscard]] std::optional<std::string> compare_matrix(const Words& words, const Variants& variants,
                                                        const Comparisons& all);

/// A curve for each algorithm, with its lower bound, over the column of require_axis(); each value of the other columns has
/// curves of its own. Nothing where no run kept the rules: others are not drawn.
[[nodiscard]] std::optional<plots::Plot> compare_curves(const Words& words, const Variants& variants,
                                                        const Comparisons& all);

/// The crossings of a plot as a table below a report, and as JSON; empty where there are none.
[[nodiscard]] std::string crossings_text(const plots::Plot& plot, std::size_t width);
[[nodiscard]] Json crossings_json(const plots::Plot& plot);

}  // namespace kport::requests
