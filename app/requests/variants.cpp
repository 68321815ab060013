#include "app/requests/several.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/requests/experiment_of.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"
#include "emulator/topology/members.hpp"

namespace kport::requests {

namespace {

/// An option that has several values.
struct Axis {
    std::string option;
    std::string column;
    std::vector<std::string> values;
    std::string range = {};  ///< as it was typed, of which the values are the numbers; else empty
};

void require_distinct(std::string_view option, const std::vector<std::string>& values) {
    std::set<std::string_view> seen;
    for (const std::string& value : values)
        if (!seen.insert(value).second) throw RequestError(fmt::format("{} has {} twice", option, quoted(value)));
}

/// "1,2,all".
std::vector<std::string> values_of(std::string_view option, std::string_view text) {
    std::vector<std::string> values;
    for (const std::string_view value : split(text, ',')) {
        if (value.empty())
            throw RequestError(fmt::format("{} {}: a value is missing beside a comma", option, quoted(text)));
        values.emplace_back(value);
    }
    require_distinct(option, values);
    return values;
}

/// What has several values, but for topologies and sources.
std::vector<Axis> axes_of(const Words& words) {
    std::vector<Axis> axes;
    const auto add_listed = [&](std::span<const std::string_view> columns) {
        for (const std::string_view column : columns) {
            const std::string option = fmt::format("--{}", column);
            const std::optional<std::string> text = words.get(option);
            if (text && text->find(',') != std::string::npos)
                axes.push_back({option, std::string(column), values_of(option, *text)});
        }
    };
    static constexpr auto threads = std::to_array<std::string_view>({"threads"});
    static constexpr auto prices = std::to_array<std::string_view>({"ts", "td", "tm"});
    add_listed(listed_options);
    if (words.command == "bench") add_listed(threads);
    const auto add_numbers = [&](std::string_view column, std::vector<std::uint64_t> (*read)(std::string_view text)) {
        Axis axis{fmt::format("--{}", column), std::string(column), {}};
        const std::optional<std::string> text = words.get(axis.option);
        if (!text || text->find_first_of(",.") == std::string::npos) return;  // one, which is read with all else
        for (const std::uint64_t number : read(*text)) axis.values.push_back(fmt::to_string(number));
        if (text->find("..") != std::string::npos) axis.range = *text;
        axes.push_back(std::move(axis));
    };
    add_numbers("bytes", [](std::string_view text) { return sizes_of(text); });
    add_numbers("packets", packets_of);
    add_listed(prices);
    return axes;
}

[[noreturn]] void refuse_too_many() {
    throw RequestError(fmt::format("a comparison of more than {} machines; give fewer values", machines_max));
}

std::uint64_t machines_in(const std::vector<Axis>& axes) {
    std::uint64_t machines = 1;
    for (const Axis& axis : axes) {
        if (axis.values.size() > machines_max / machines) refuse_too_many();
        machines *= axis.values.size();
    }
    return machines;
}

/// A topology and the sources there; --source may name others, and more, on each of them.
struct Place {
    std::shared_ptr<const Topology> topology;
    Axis sources{"--source", "source", {}};
    bool several = false;
};

/// Where there are as many numbers as a node has coordinates they are one node; the error names the separator of several nodes.
void require_coordinates(const std::string& source, const Topology& topology) {
    try {
        (void)topology.node(source);
    } catch (const RequestError& error) {
        std::string several = source;
        std::ranges::replace(several, ',', ';');
        throw RequestError(fmt::format("{}; several nodes: --source {}", error.what(), as_shell_word(several)));
    }
}

Place place_of(const Words& words) {
    Place place;
    const std::optional<std::string> source = words.get("--source");
    if (words.command != "compare" || !source) return place;
    place.topology = topology_of(words);
    place.several = names_several(*source, *place.topology);
    if (!place.several && source->find(',') != std::string::npos) require_coordinates(*source, *place.topology);
    place.sources.values = each_source(*source, *place.topology, machines_max);
    require_distinct("--source", place.sources.values);
    return place;
}

/// A number of a range was not typed: what is wrong with it is told with the range.
Experiment experiment_of_range(const Words& words, const std::shared_ptr<const Topology>& topology,
                               const std::vector<Axis>& axes) {
    try {
        return experiment_of(words, topology);
    } catch (const RequestError& error) {
        const std::string told = in_options(error.what());
        for (const Axis& axis : axes)
            if (const std::string beginning = axis.option + " "; !axis.range.empty() && told.starts_with(beginning))
                throw RequestError(
                    fmt::format("{}{} names {}", beginning, quoted(axis.range), told.substr(beginning.size())));
        throw;
    }
}

/// Every combination of the values, on the one topology that the words name; the last axis changes first.
void add_machines(Words words, std::shared_ptr<const Topology> topology, const std::vector<Axis>& axes,
                  Variants& variants) {
    const std::uint64_t machines = machines_in(axes);
    if (machines > machines_max - variants.experiments.size()) refuse_too_many();
    for (std::uint64_t i = 0; i < machines; ++i) {
        std::uint64_t number = i;
        std::vector<std::string> values(axes.size());
        for (std::size_t a = axes.size(); a-- > 0;) {
            values[a] = axes[a].values[number % axes[a].values.size()];
            number /= axes[a].values.size();
            words.values[axes[a].option] = values[a];
        }
        variants.experiments.push_back(experiment_of_range(words, topology, axes));
        topology = named_topology(variants.experiments.back().machine.topology);  // made once
        variants.values.push_back(std::move(values));
    }
}

}  // namespace

Variants variants_of(const Words& words) {
    std::vector<Axis> topologies;
    if (const auto sweep = words.get("--sweep")) {
        if (words.has("--on")) throw RequestError("--on and --sweep both name machines; want one of them");
        topologies.push_back({"--on", "topology", swept(*sweep)});
        require_distinct("--sweep", topologies.back().values);
    }
    const std::vector<Axis> others = axes_of(words);
    std::vector<Words> on;
    for (std::uint64_t i = 0; i < machines_in(topologies); ++i) {
        on.push_back(words);
        for (const Axis& axis : topologies) on.back().values[axis.option] = axis.values[i];
    }
    std::vector<Place> places;
    for (const Words& one : on) places.push_back(place_of(one));
    const bool sources_vary = std::ranges::any_of(places, &Place::several);

    Variants variants;
    for (std::size_t i = 0; i < on.size(); ++i) {
        std::vector<Axis> axes;
        for (const Axis& axis : topologies) axes.push_back({axis.option, axis.column, {axis.values[i]}});
        axes.insert(axes.end(), others.begin(), others.end());
        if (sources_vary) axes.push_back(places[i].sources);
        if (i == 0)
            for (const Axis& axis : axes) variants.columns.push_back(axis.column);
        add_machines(on[i], places[i].topology, axes, variants);
    }
    return variants;
}

std::string common_line(const Words& words, const Variants& variants, std::string_view one_of_them) {
    const Experiment& e = variants.experiments.front();
    const Machine& machine = e.machine;
    const auto varies = [&](std::string_view column) {
        return std::find(variants.columns.begin(), variants.columns.end(), column) != variants.columns.end();
    };
    std::string line = std::string(name(e.collective.operation));
    if (e.collective.operation == Operation::permutation) line += " " + short_text(e.collective.permutation);
    if (!varies("topology")) line += fmt::format(" on {}", named_machine(e.topology()).spec());
    const bool same_machine = variants.columns == std::vector<std::string>{"source"};
    line += fmt::format("   {}", counted(variants.experiments.size(), same_machine ? "source" : one_of_them));
    std::vector<std::string> ports;
    if (!varies("ports")) ports.push_back(fmt::format("{}-port", machine.ports.text()));
    if (!varies("duplex")) ports.push_back(fmt::format("{} duplex", text(machine.duplex)));
    if (!ports.empty()) line += fmt::format(", {}", fmt::join(ports, " "));
    if (!varies("switching")) line += machine.switching == Switching::wormhole ? ", wormhole" : ", store-and-forward";
    if (!varies("links") && machine.links == Duplex::half) line += ", half duplex links";
    if (machine.pairwise) line += ", pairwise";
    if (!varies("noho") && machine.noho == Noho::strict) line += ", strict NOHO";
    if (machine.routing == Routing::adaptive) line += ", adaptive routing";
    if (!varies("combining") && !machine.combining) line += ", noncombining";
    if (!varies("policy") && machine.policy == Policy::strict) line += ", strict";
    if (e.root() && !varies("source")) line += fmt::format(", source {}", words.get("--source").value_or("0"));
    if (e.collective.packets_each != 1 && !varies("packets"))
        line += fmt::format(", M = {}", e.collective.packets_each);
    return varies("bytes") ? line : line + fmt::format(", {}-byte packet", e.collective.packet_bytes);
}

}  // namespace kport::requests
