#include "app/cli/bench_output.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pictures/plot.hpp"
#include "app/requests/plots.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

using measure::Calibration;
using plots::PlotAxis;

/// What may lie along the axis.
struct Along {
    std::string_view column;
    PlotAxis axis;
    std::string_view name;
    double (*of)(const Experiment& e);
};

/// The first of these of which the cells have several; else the last.
const Along& along(const Bench& bench) {
    static constexpr std::array<Along, 3> all = {{
        {"bytes", PlotAxis::bytes, "bytes of a packet",
         [](const Experiment& e) { return static_cast<double>(e.collective.packet_bytes); }},
        {"packets", PlotAxis::count, "packets M",
         [](const Experiment& e) { return static_cast<double>(e.collective.packets_each); }},
        {"topology", PlotAxis::count, "nodes of the machine",
         [](const Experiment& e) { return static_cast<double>(e.topology().nodes()); }},
    }};
    const auto varies = [&](const Along& one) {
        return std::ranges::find(bench.columns, one.column) != bench.columns.end();
    };
    const auto found = std::ranges::find_if(all, varies);
    return found == all.end() ? all.back() : *found;
}

/// Without --algorithm the best one may change from cell to cell.
bool algorithms_vary(const Bench& bench) {
    std::set<std::string_view> names;
    for (const BenchCell& cell : bench.cells)
        if (cell.measured) names.insert(cell.task.algorithm->name);
    return names.size() > 1;
}

/// What tells a cell's series from others: everything that varies, but for what is along the axis; and the algorithm, since each has
/// its own prices.
std::string series_of(const Bench& bench, const BenchCell& cell, const Along& axis) {
    std::string name(algorithms_vary(bench) ? cell.task.algorithm->name : "");
    for (std::size_t i = 0; i < bench.columns.size(); ++i) {
        const std::string& column = bench.columns[i];
        std::string value = cell.values[i];
        if (column == axis.column) {
            if (column != "topology") continue;
            value = value.substr(0, value.find(':'));  // machines of two families are two series
        }
        name += (name.empty() ? "" : ", ") + in_curve_name(column, value);
    }
    return name.empty() ? cell.task.experiment.topology().spec() : name;
}

/// "broadcast on hypercube:10 by sbt, lockstep".
std::string title_of(const Bench& bench, const std::vector<Calibration>& calibrations) {
    std::string title = bench.heading.substr(0, bench.heading.find("   "));
    const auto same = [&](const Calibration& other) {
        return other.key.algorithm == calibrations.front().key.algorithm;
    };
    if (!calibrations.empty() && std::all_of(calibrations.begin(), calibrations.end(), same))
        title += " by " + calibrations.front().key.algorithm;
    return fmt::format("{}, {}", title, bench.cells.front().task.moved_by());
}

/// The formulas of the models that are used: "w tw + b tb + tr".
std::string formulas_of(const std::vector<Calibration>& calibrations) {
    std::set<std::string_view> all;
    for (const Calibration& calibration : calibrations) all.insert(calibration.used().prices.model->formula);
    return fmt::format("{}", fmt::join(all, "; "));
}

/// The calibration that a cell is part of, and its place there.
struct Fitted {
    const Calibration* calibration = nullptr;
    double seconds = 0;
};

Fitted fitted(const std::vector<Calibration>& calibrations, const std::string& cell) {
    for (const Calibration& calibration : calibrations)
        for (std::size_t i = 0; i < calibration.observations.size(); ++i)
            if (calibration.observations[i].name == cell) return {&calibration, calibration.used().fitted[i]};
    return {};
}

/// In seconds.
std::optional<double> bound_at(const measure::Prices& prices, const BenchCell& cell) {
    using measure::Count;
    Machine machine = cell.task.experiment.machine;
    machine.costs = {prices.price(Count::round), prices.price(Count::hop), prices.price(Count::volume_byte)};
    const std::optional<double> ns =
        lower_bounds(machine, cell.task.experiment.collective)[Quantity::latency].largest();
    return ns ? std::optional(*ns * 1e-9) : std::nullopt;
}

}  // namespace

void require_plottable(const Bench& bench) {
    const Along& axis = along(bench);
    std::set<double> places;
    for (const BenchCell& cell : bench.cells) places.insert(axis.of(cell.task.experiment));
    if (places.size() < 2)
        throw RequestError(
            "--plot: nothing differs along the axis; want several sizes (--bytes 8..64KiB), numbers of packets "
            "(--packets 1..64) or machines (--sweep 'hypercube:{4..12}')");
    if (*places.begin() == 0) throw RequestError("--plot: its axes are logarithmic; want --bytes from 1 on");
}

std::string bench_plot(const Bench& bench, const std::vector<Calibration>& calibrations) {
    plots::Plot plot;
    plot.title = title_of(bench, calibrations);
    const Along& axis = along(bench);
    plot.axis = axis.axis;
    plot.along = axis.name;
    plot.up = "time of one operation";
    plot.points = "measured";
    plot.lines = "fitted: " + formulas_of(calibrations);
    plot.bounds = "bound at fitted ts, td, tm (a fit, no limit)";
    for (const BenchCell& cell : bench.cells) {
        if (!cell.measured) continue;
        const chip::Statistics& seconds = cell.measured->task().seconds;
        const Fitted fit = fitted(calibrations, cell.measured->name);
        plots::PlotPoint point{
            axis.of(cell.task.experiment), seconds.median, seconds.median, seconds.median, fit.seconds, {}};
        if (seconds.has_interval()) {
            point.low = seconds.low;
            point.high = seconds.high;
            plot.points = "measured, 95 % interval";
        }
        if (fit.calibration != nullptr) point.bound = bound_at(fit.calibration->of_rounds(), cell);
        add_point(plot, series_of(bench, cell, axis), point);
    }
    for (plots::PlotSeries& series : plot.series)
        std::sort(series.points.begin(), series.points.end(),
                  [](const plots::PlotPoint& a, const plots::PlotPoint& b) { return a.x < b.x; });
    return plots::svg_of(plot);
}

}  // namespace kport::cli
