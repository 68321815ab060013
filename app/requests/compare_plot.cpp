#include "app/requests/compared.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/plot.hpp"
#include "app/requests/plots.hpp"
#include "emulator/base/error.hpp"

namespace kport::requests {

namespace {

using plots::PlotAxis;

/// A column of numbers: how its axis is drawn, and where a machine is on it.
struct NumberColumn {
    std::string_view name;
    std::string_view option;
    PlotAxis axis;
    std::string_view along;
    double (*at)(const Experiment& e);
};

constexpr NumberColumn number_columns[] = {
    {"topology", "--sweep", PlotAxis::count, "nodes of the machine",
     [](const Experiment& e) { return static_cast<double>(e.topology().nodes()); }},
    {"bytes", "--bytes", PlotAxis::bytes, "bytes of a packet",
     [](const Experiment& e) { return static_cast<double>(e.collective.packet_bytes); }},
    {"packets", "--packets", PlotAxis::count, "packets M",
     [](const Experiment& e) { return static_cast<double>(e.collective.packets_each); }},
    {"ts", "--ts", PlotAxis::number, "ts, the cost of a startup",
     [](const Experiment& e) { return e.machine.costs.startup; }},
    {"td", "--td", PlotAxis::number, "td, the cost of a hop", [](const Experiment& e) { return e.machine.costs.hop; }},
    {"tm", "--tm", PlotAxis::number, "tm, the cost of a byte",
     [](const Experiment& e) { return e.machine.costs.byte; }},
    {"source", "--source", PlotAxis::node, "source",
     [](const Experiment& e) { return static_cast<double>(e.collective.root); }},
};

const NumberColumn* number_column(std::string_view name) {
    const auto* const found = std::ranges::find(number_columns, name, &NumberColumn::name);
    return found == std::end(number_columns) ? nullptr : found;
}

const NumberColumn& along(const Variants& variants) {
    const NumberColumn* found = nullptr;
    for (const std::string& column : variants.columns) {
        const NumberColumn* const one = number_column(column);
        if (one == nullptr) continue;
        if (found != nullptr)
            throw RequestError(
                fmt::format("--plot: {} and {} have several values each, and a plot has one axis; give one "
                            "of them one value",
                            found->option, one->option));
        found = one;
    }
    std::set<double> places;
    for (const Experiment& e : variants.experiments) places.insert(found == nullptr ? 0 : found->at(e));
    if (places.size() < 2)
        throw RequestError(
            "--plot: nothing differs along the axis; want several values of --bytes, --packets, --ts, --td, --tm or "
            "--source, "
            "machines of several sizes (--sweep 'hypercube:{4..12}'), or --message 8..64MiB");
    return *found;
}

/// The algorithm, and everything that varies but for what is along the axis.
std::string curve_of(const Variants& variants, std::size_t machine, const NumberColumn& axis,
                     const std::string& algorithm) {
    std::string name = algorithm;
    for (std::size_t i = 0; i < variants.columns.size(); ++i) {
        const std::string& value = variants.values[machine][i];
        if (variants.columns[i] != axis.name)
            name += ", " + in_curve_name(variants.columns[i], value);
        else if (axis.name == "topology")
            name += ", " + value.substr(0, value.find(':'));
    }
    return name;
}

}  // namespace

std::string title_of_plot(const Words& words, const Variants& variants) {
    std::string line = common_line(words, variants, "machine");
    const std::size_t count = line.find("   ");
    return line.replace(count, line.find(", ", count) - count, "");
}

std::string_view axis_of_plot(const Variants& variants) { return along(variants).name; }

std::optional<std::string> compare_plot(const Words& words, const Variants& variants, const Comparisons& all) {
    const NumberColumn& axis = along(variants);
    plots::Plot plot;
    plot.title = title_of_plot(words, variants);
    plot.axis = axis.axis;
    plot.along = axis.along;
    const QuantityRow& quantity = quantity_named(words.get("--plot-of").value_or("latency"));
    plot.up = up_of(quantity, variants.experiments.front().machine.costs, axis.name);
    plot.seconds = false;
    plot.points = "run and audited";
    plot.lines = "the same algorithm";
    plot.bounds = "lower bound";
    for (std::size_t i = 0; i < all.machines.size(); ++i)
        for (const Report& report : all.machines[i].reports) {
            if (report.stopped || !report.verdict.lawful()) continue;
            const double value = quantity.of(report.verdict.metrics);
            add_point(
                plot, curve_of(variants, i, axis, report.algorithm),
                {axis.at(variants.experiments[i]), value, value, value, value, report.bounds[quantity.quantity].value});
        }
    if (plot.series.empty()) return std::nullopt;
    for (plots::PlotSeries& series : plot.series) std::ranges::stable_sort(series.points, {}, &plots::PlotPoint::x);
    return plots::svg_of(plot);
}

}  // namespace kport::requests
