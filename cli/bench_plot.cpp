#include "cli/bench_plot.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/plots.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"
#include "measure/plot.hpp"

namespace kport::cli {

namespace {

using measure::Calibration;
using measure::PlotAxis;

PlotAxis axis_of(const Bench& bench) {
    return std::find(bench.columns.begin(), bench.columns.end(), "bytes") != bench.columns.end() ? PlotAxis::bytes
                                                                                                 : PlotAxis::count;
}

double x_of(const BenchCell& cell, PlotAxis axis) {
    return static_cast<double>(axis == PlotAxis::bytes ? cell.task.experiment.collective.packet_bytes
                                                       : cell.task.experiment.topology().nodes());
}

/// What tells a cell's series from others: everything that varies, but for what is along the axis.
std::string series_of(const Bench& bench, const BenchCell& cell, PlotAxis axis) {
    std::string name;
    for (std::size_t i = 0; i < bench.columns.size(); ++i) {
        const std::string& column = bench.columns[i];
        std::string value = cell.values[i];
        if (column == "bytes" && axis == PlotAxis::bytes) continue;
        if (column == "topology" && axis == PlotAxis::count) value = value.substr(0, value.find(':'));
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

/// Of the models that are used: "w tw + b tb + tr".
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
    const std::optional<double> ns = lower_bounds(machine, cell.task.experiment.collective)[Quantity::latency].value();
    return ns ? std::optional(*ns * 1e-9) : std::nullopt;
}

}  // namespace

void require_plottable(const Bench& bench) {
    const PlotAxis axis = axis_of(bench);
    std::set<double> places;
    for (const BenchCell& cell : bench.cells) places.insert(x_of(cell, axis));
    if (places.size() < 2)
        throw RequestError(
            "--plot: nothing differs along the axis; want several sizes (--bytes 8..64KiB) or machines "
            "(--sweep 'hypercube:{4..12}')");
    if (*places.begin() == 0) throw RequestError("--plot: its axes are logarithmic; want --bytes from 1 on");
}

std::string bench_plot(const Bench& bench, const std::vector<Calibration>& calibrations) {
    measure::Plot plot;
    plot.title = title_of(bench, calibrations);
    plot.axis = axis_of(bench);
    plot.along = plot.axis == PlotAxis::bytes ? "bytes of a packet" : "nodes of the machine";
    plot.up = "time of one operation";
    plot.points = "measured, 95 % interval";
    plot.lines = "fitted: " + formulas_of(calibrations);
    plot.bounds = "lower bound at fitted ts, td, tm";
    for (const BenchCell& cell : bench.cells) {
        if (!cell.measured) continue;
        const chip::Statistics& seconds = cell.measured->task().seconds;
        const Fitted fit = fitted(calibrations, cell.measured->name);
        measure::PlotPoint point{x_of(cell, plot.axis), seconds.median, seconds.low, seconds.high, fit.seconds, {}};
        if (fit.calibration != nullptr) point.bound = bound_at(fit.calibration->of_rounds(), cell);
        add_point(plot, series_of(bench, cell, plot.axis), point);
    }
    for (measure::PlotSeries& series : plot.series)
        std::sort(series.points.begin(), series.points.end(),
                  [](const measure::PlotPoint& a, const measure::PlotPoint& b) { return a.x < b.x; });
    return measure::svg_of(plot);
}

}  // namespace kport::cli
