/// @file compare_plot.cpp   What several machines cost, as curves over one thing that varies.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pictures/crossings.hpp"
#include "app/pictures/story.hpp"
#include "app/requests/compared.hpp"
#include "app/requests/plots.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/members.hpp"

namespace kport::requests {

namespace {

using plots::PlotAxis;

/// A column that may lie along the axis: how it is drawn, and where a machine is on it.
struct AxisColumn {
    std::string_view name;
    PlotAxis axis;
    std::string_view along;
    /// Null: the values are words, or numbers and words, which stand in their order.
    double (*at)(const Experiment& e) = nullptr;

    [[nodiscard]] std::string option() const { return name == "topology" ? "--sweep" : fmt::format("--{}", name); }
};

constexpr AxisColumn axis_columns[] = {
    {"topology", PlotAxis::count, "nodes of the machine",
     [](const Experiment& e) { return static_cast<double>(e.topology().nodes()); }},
    {"bytes", PlotAxis::bytes, "bytes of a packet",
     [](const Experiment& e) { return static_cast<double>(e.collective.packet_bytes); }},
    {"packets", PlotAxis::count, "packets M",
     [](const Experiment& e) { return static_cast<double>(e.collective.packets_each); }},
    {"ts", PlotAxis::number, "ts, the cost of a startup", [](const Experiment& e) { return e.machine.costs.startup; }},
    {"td", PlotAxis::number, "td, the cost of a hop", [](const Experiment& e) { return e.machine.costs.hop; }},
    {"tm", PlotAxis::number, "tm, the cost of a byte", [](const Experiment& e) { return e.machine.costs.byte; }},
    {"source", PlotAxis::node, "source", [](const Experiment& e) { return static_cast<double>(e.collective.root); }},
    {"ports", PlotAxis::order, "ports that a node uses in a round"},
    {"switching", PlotAxis::words, "switching"},
    {"combining", PlotAxis::words, "combining"},
    {"keep", PlotAxis::words, "the part that stays of an odd split"},
    {"duplex", PlotAxis::words, "duplex of nodes"},
    {"links", PlotAxis::words, "duplex of links"},
    {"noho", PlotAxis::words, "NOHO"},
    {"policy", PlotAxis::words, "policy"},
};

const AxisColumn* axis_column(std::string_view name) {
    const auto* const found = std::ranges::find(axis_columns, name, &AxisColumn::name);
    return found == std::end(axis_columns) ? nullptr : found;
}

/// Limits of ports in their order: numbers, then all.
std::pair<Port, Port> order_of(const PortLimit& ports) { return {ports.sends(), ports.receives()}; }

/// Where each machine is on the axis, and what stands at the places of words.
struct Placed {
    std::vector<double> at;
    std::vector<std::string> places;
};

Placed placed(const Variants& variants, const AxisColumn& axis) {
    Placed placed;
    if (axis.at != nullptr) {
        for (const Experiment& e : variants.experiments) placed.at.push_back(axis.at(e));
        return placed;
    }
    const auto column = std::ranges::find(variants.columns, axis.name) - variants.columns.begin();
    const auto value_of = [&](std::size_t machine) -> const std::string& {
        return variants.values[machine][static_cast<std::size_t>(column)];
    };
    std::vector<std::size_t> firsts;  // a machine for each value
    for (std::size_t i = 0; i < variants.experiments.size(); ++i)
        if (std::ranges::find(firsts, value_of(i), value_of) == firsts.end()) firsts.push_back(i);
    if (axis.name == "ports")
        std::ranges::stable_sort(firsts, {},
                                 [&](std::size_t i) { return order_of(variants.experiments[i].machine.ports); });
    for (const std::size_t i : firsts) placed.places.push_back(value_of(i));
    for (std::size_t i = 0; i < variants.experiments.size(); ++i)
        placed.at.push_back(static_cast<double>(std::ranges::find(placed.places, value_of(i)) - placed.places.begin()));
    return placed;
}

bool has_column(const Variants& variants, const AxisColumn& axis) {
    return std::ranges::find(variants.columns, axis.name) != variants.columns.end();
}

bool differs_along(const Variants& variants, const AxisColumn& axis) {
    const std::vector<double> at = placed(variants, axis).at;
    return std::ranges::any_of(at, [&](double place) { return place != at.front(); });
}

[[noreturn]] void refuse_without_axis() {
    throw RequestError(
        "--plot: nothing differs along the axis; want several values of --bytes, --packets, --ts, --td, --tm, "
        "--source, --ports, --switching or another option with a list, machines of several sizes (--sweep "
        "'hypercube:{4..12}'), or --message 8..64MiB; --plot-as matrix draws machines of one size");
}

/// The column that --plot-over names.
const AxisColumn& named_axis(const Variants& variants, std::string_view name) {
    const AxisColumn* const axis = axis_column(name);
    if (axis == nullptr) {
        std::vector<std::string_view> names;
        for (const AxisColumn& one : axis_columns) names.push_back(one.name);
        throw RequestError(fmt::format("--plot-over {}: no option with a list of values is called so{} ({})",
                                       quoted(name), did_you_mean(name, names), fmt::join(names, ", ")));
    }
    if (!has_column(variants, *axis) || !differs_along(variants, *axis))
        throw RequestError(
            axis->name == "topology"
                ? "--plot-over topology: want machines of several sizes, such as --sweep 'hypercube:{4..12}'"
                : fmt::format("--plot-over {}: {} has one value; want several with commas between them", axis->name,
                              axis->option()));
    return *axis;
}

/// The only column that differs: of numbers, else of words. Null where there is none. Throws RequestError where there are several.
const AxisColumn* only_axis(const Variants& variants, bool of_numbers) {
    const AxisColumn* found = nullptr;
    for (const std::string& column : variants.columns) {
        const AxisColumn* const one = axis_column(column);
        if (one == nullptr || (one->at != nullptr) != of_numbers) continue;
        if (one->name == "topology" && !differs_along(variants, *one)) continue;
        if (found != nullptr)
            throw RequestError(fmt::format(
                "--plot: {0} and {1} have several values each, and a plot has one axis; give one of them one value, or "
                "name the axis: --plot-over {2}",
                found->option(), one->option(), one->name));
        found = one;
    }
    return found;
}

const AxisColumn& along(const Words& words, const Variants& variants) {
    if (const auto name = words.get("--plot-over")) return named_axis(variants, *name);
    const AxisColumn* axis = only_axis(variants, true);
    if (axis == nullptr) axis = only_axis(variants, false);
    if (axis == nullptr || !differs_along(variants, *axis)) refuse_without_axis();
    return *axis;
}

/// The algorithm, and everything that varies but for what is along the axis.
std::string curve_of(const Variants& variants, std::size_t machine, const AxisColumn& axis,
                     const std::string& algorithm) {
    std::string name = algorithm;
    for (std::size_t i = 0; i < variants.columns.size(); ++i) {
        const std::string& value = variants.values[machine][i];
        if (variants.columns[i] != axis.name)
            name += ", " + in_curve_name(variants.columns[i], value);
        else if (axis.name == "topology")
            name += ", " + value.substr(0, value.find(':'));
        name = without_folders(std::move(name), value);
    }
    return without_folders(std::move(name), algorithm);
}

}  // namespace

std::string title_of_plot(const Words& words, const Variants& variants) {
    std::string line = common_line(words, variants, "machine");
    const std::size_t count = line.find("   ");
    return without_folders(line.replace(count, line.find(", ", count) - count, ""),
                           named_machine(variants.experiments.front().topology()).spec());
}

void require_axis(const Words& words, const Variants& variants) { (void)along(words, variants); }

std::optional<plots::Plot> compare_curves(const Words& words, const Variants& variants, const Comparisons& all) {
    const AxisColumn& axis = along(words, variants);
    Placed placed_machines = placed(variants, axis);
    plots::Plot plot;
    plot.title = title_of_plot(words, variants);
    plot.axis = axis.axis;
    plot.along = axis.along;
    plot.places = std::move(placed_machines.places);
    const QuantityRow& quantity = quantity_named(words.get("--plot-of").value_or("latency"));
    plot.up = up_of(quantity, variants.experiments.front().machine.costs, axis.name);
    plot.seconds = false;
    plot.points = "run and audited";
    plot.lines = "the same algorithm";
    plot.bounds = "lower bound";
    plot.marks_crossings = true;
    for (std::size_t i = 0; i < all.machines.size(); ++i)
        for (const Report& report : all.machines[i].reports) {
            if (report.stopped || !report.verdict.lawful()) continue;
            const double value = quantity.of(report.verdict.metrics);
            add_point(plot, curve_of(variants, i, axis, report.algorithm),
                      {placed_machines.at[i], value, value, value, value, report.bounds[quantity.quantity].value});
        }
    if (plot.series.empty()) return std::nullopt;
    for (plots::PlotSeries& series : plot.series) std::ranges::stable_sort(series.points, {}, &plots::PlotPoint::x);
    return plot;
}

std::string crossings_text(const plots::Plot& plot, std::size_t width) {
    const std::vector<plots::Crossing> crossings = plots::crossings_of(plot);
    if (crossings.empty()) return "";
    Table table({{"lower before"}, {"lower after"}, {"crossing over " + plot.along}});
    for (const plots::Crossing& crossing : crossings)
        table.row({{plot.series[crossing.lower_before].name},
                   {plot.series[crossing.lower_after].name},
                   {plots::place_of(plot, crossing)}});
    return "\n" + table.text(Paint(false), width);
}

Json crossings_json(const plots::Plot& plot) {
    Json json = Json::array();
    const auto place = [&](double x) {
        return plot.places.empty() ? Json(x) : Json(plot.places.at(static_cast<std::size_t>(x)));
    };
    for (const plots::Crossing& crossing : plots::crossings_of(plot))
        json.push_back({{"lower_before", plot.series[crossing.lower_before].name},
                        {"lower_after", plot.series[crossing.lower_after].name},
                        {"from", place(crossing.after)},
                        {"to", place(crossing.until)},
                        {"equal", crossing.coincide}});
    return json;
}

}  // namespace kport::requests
