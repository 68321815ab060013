/// @file compare_map.cpp   What each node costs as the source, drawn on the machine, beside the lower bound.
#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/sheet.hpp"
#include "app/requests/compared.hpp"
#include "app/requests/plots.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::requests {

namespace {

constexpr std::size_t map_panels_max = 16;
constexpr NodeId map_nodes_max = 1024;
constexpr NodeId map_nodes_with_values = 128;  ///< on larger machines values are tooltips only

/// What a source costs, or why that is not known.
struct Sourced {
    enum class Kind : std::uint8_t { value, below, broken, stopped, absent } kind = Kind::absent;
    double value = 0;
    std::optional<double> bound = {};
};

/// The values of one algorithm, or of the bound, by node; nodes that are no source are absent.
struct SourceMap {
    std::string name;
    std::vector<Sourced> of;
};

Sourced sourced(const Report& report, const QuantityRow& quantity) {
    using enum Sourced::Kind;
    Sourced one{value, quantity.of(report.verdict.metrics), report.bounds[quantity.quantity].value};
    if (report.stopped)
        one.kind = stopped;
    else if (!report.verdict.lawful())
        one.kind = broken;
    else if (one.bound && one.value < *one.bound && !meets(one.value, *one.bound))
        one.kind = below;
    return one;
}

/// The bound first, then the algorithms in the order in which they come.
std::vector<SourceMap> maps_of(const Comparisons& all, const QuantityRow& quantity, NodeId nodes) {
    std::vector<SourceMap> maps{{"lower bound", std::vector<Sourced>(nodes)}};
    const auto at = [&](std::string_view name, NodeId source) -> Sourced& {
        auto found = std::ranges::find(maps, name, &SourceMap::name);
        if (found == maps.end()) found = maps.insert(maps.end(), {std::string(name), std::vector<Sourced>(nodes)});
        return found->of.at(source);
    };
    for (const Comparison& machine : all.machines) {
        const NodeId source = machine.experiment.collective.root;
        for (const Report& report : machine.reports) {
            at(report.algorithm, source) = sourced(report, quantity);
            if (const auto& bound = report.bounds[quantity.quantity].value)
                maps.front().of.at(source) = {Sourced::Kind::value, *bound};
        }
        for (const FailedRun& failure : machine.failures) at(failure.algorithm, source) = {Sourced::Kind::broken};
    }
    return maps;
}

bool is_drawn(const Sourced& one) { return one.kind == Sourced::Kind::value || one.kind == Sourced::Kind::below; }

DrawnNode drawn_node(const Sourced& one, const ValueScale& scale, const std::string& node, const std::string& what) {
    DrawnNode drawn;
    switch (one.kind) {
        case Sourced::Kind::absent: drawn.says = fmt::format("node {}: no run from there", node); return drawn;
        case Sourced::Kind::stopped: drawn.says = fmt::format("node {}: stopped", node); return drawn;
        case Sourced::Kind::broken:
            drawn.broken = true;
            drawn.says = fmt::format("node {}: breaks rules, does not deliver, or fails", node);
            return drawn;
        case Sourced::Kind::below: drawn.broken = true; break;
        case Sourced::Kind::value: break;
    }
    drawn.has = Has::gave;
    if (one.value > 0) drawn.shade = scale.of(one.value).shade;
    drawn.label = grouped(one.value);
    drawn.says = fmt::format("from node {}: {} {}", node, what, grouped(one.value));
    if (one.bound) drawn.says += fmt::format(", bound {}", grouped(*one.bound));
    return drawn;
}

/// "dost: 6 to 8 from 16 sources, optimal from 12".
std::string line_of(const SourceMap& map, bool is_bound) {
    std::vector<double> values;
    std::size_t met = 0;
    std::size_t below = 0;
    std::size_t others = 0;
    for (const Sourced& one : map.of) {
        if (is_drawn(one)) {
            values.push_back(one.value);
            met += one.bound && meets(one.value, *one.bound) ? 1 : 0;
            below += one.kind == Sourced::Kind::below ? 1 : 0;
        } else if (one.kind != Sourced::Kind::absent) {
            ++others;
        }
    }
    std::string line = map.name + ": ";
    if (values.empty()) return line + (is_bound ? "none known" : "no lawful run");
    const auto [least, most] = std::ranges::minmax(values);
    line += least == most ? grouped(least) : fmt::format("{} to {}", grouped(least), grouped(most));
    line += fmt::format(" from {}", grouped_count(values.size(), "source"));
    if (!is_bound)
        line += fmt::format(", optimal from {}", met == values.size() ? "all of them"
                                                 : met == 0           ? "none"
                                                                      : grouped_count(met) + " of them");
    if (below > 0) line += fmt::format("; BELOW the bound from {}: one of the two is wrong", grouped_count(below));
    if (others > 0) line += fmt::format("; no verdict, or broken rules, from {}", grouped_count(others));
    return line;
}

/// The samples of a map's legend: what occurs in it.
double put_map_legend(Svg& svg, double x, double y, const std::string& what, const std::vector<SourceMap>& maps,
                      const ValueScale& scale) {
    constexpr double size = 11;
    svg.text(x, y, what, {size, colour::ink, "start", true});
    x += text_width(what, size) * 1.15 + 14;
    const auto sample = [&](std::string_view fill, bool broken, const std::string& says) {
        svg.circle({x + 7, y - 4}, 6, fill, broken ? colour::broken : colour::faint, broken ? 2.6 : 1.2);
        svg.text(x + 18, y, says, {size, colour::ink, "start"});
        x += 18 + text_width(says, size) + 18;
    };
    const auto occurs = [&](const auto& is_such) {
        return std::ranges::any_of(maps, [&](const SourceMap& map) { return std::ranges::any_of(map.of, is_such); });
    };
    const auto of_kind = [](Sourced::Kind kind) { return [kind](const Sourced& one) { return one.kind == kind; }; };
    if (occurs([](const Sourced& one) { return is_drawn(one) && one.value == 0; })) sample(colour::gave, false, "0");
    for (const ValueScale::Class& one : scale.classes()) sample(one.shade.fill, false, ValueScale::text_of(one));
    if (occurs(of_kind(Sourced::Kind::absent))) sample(colour::nothing, false, "no run from there");
    if (occurs(of_kind(Sourced::Kind::stopped))) sample(colour::nothing, false, "stopped");
    if (occurs(of_kind(Sourced::Kind::broken)))
        sample(colour::nothing, true, "breaks rules, does not deliver, or fails");
    if (occurs(of_kind(Sourced::Kind::below))) sample(colour::gave, true, "below its bound");
    return y + sheet_line_height + 4;
}

}  // namespace

void require_map(const Variants& variants) {
    if (variants.columns != std::vector<std::string>{"source"})
        throw RequestError(
            "--plot-as map: want one machine and several sources, such as --source all, and nothing else "
            "that varies");
    const NodeId nodes = variants.experiments.front().topology().wires().nodes();
    if (nodes > map_nodes_max)
        throw RequestError(fmt::format("--plot-as map: at most {} nodes, these are {}", grouped_count(map_nodes_max),
                                       grouped_count(nodes)));
}

std::optional<std::string> compare_map(const Words& words, const Variants& variants, const Comparisons& all) {
    const Experiment& first = variants.experiments.front();
    const QuantityRow& quantity = quantity_named(words.get("--plot-of").value_or("latency"));
    const Topology& wires = first.topology().wires();
    const std::vector<SourceMap> maps = maps_of(all, quantity, first.topology().nodes());
    if (maps.size() == 1) return std::nullopt;
    if (maps.size() > map_panels_max)
        throw RequestError(fmt::format("--plot-as map: at most {} algorithms, these are {}; --algorithm A,B names some",
                                       map_panels_max - 1, maps.size() - 1));
    std::vector<double> values;
    for (const SourceMap& map : maps)
        for (const Sourced& one : map.of)
            if (is_drawn(one)) values.push_back(one.value);
    const ValueScale scale(std::move(values));
    Sheet sheet;
    for (const SourceMap& map : maps) {
        Panel panel{without_folders(map.name, map.name), {}, {}};
        for (NodeId v = 0; v < map.of.size(); ++v) {
            panel.nodes.push_back(drawn_node(map.of[v], scale, wires.name(v), std::string(quantity.title)));
            if (wires.nodes() > map_nodes_with_values) panel.nodes.back().label.clear();
        }
        sheet.panels.push_back(std::move(panel));
        sheet.lines.push_back(line_of({sheet.panels.back().heading, map.of}, &map == &maps.front()));
    }
    sheet.remark = "a node's colour: what the operation costs with this node as the source";
    if (wires.nodes() > map_nodes_with_values) sheet.remark += "; pointing at one shows its number";
    if (all.stopped) sheet.remark += "; stopped before all sources were compared";
    sheet.legend = [&](Svg& svg, double x, double y) {
        return put_map_legend(svg, x, y, quantity.label(), maps, scale);
    };
    Story story = story_of(first.machine.topology, "by source: " + up_of(quantity, first.machine.costs));
    story.title = title_of_plot(words, variants);
    std::ostringstream out;
    put_sheet(out, story, sheet);
    return std::move(out).str();
}

}  // namespace kport::requests
