#include "cli/variants.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/experiment_of.hpp"
#include "cli/sizes.hpp"
#include "cli/sweep.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

/// An option that has several values.
struct Axis {
    std::string option;
    std::string column;
    std::vector<std::string> values;
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

void add_bench_axes(const Words& words, std::vector<Axis>& axes) {
    if (const auto threads = words.get("--threads"); threads && threads->find(',') != std::string::npos)
        axes.push_back({"--threads", "threads", values_of("--threads", *threads)});
    if (const auto bytes = words.get("--bytes")) {
        Axis axis{"--bytes", "bytes", {}};
        for (const std::uint64_t size : sizes_of(*bytes)) axis.values.push_back(fmt::to_string(size));
        if (axis.values.size() > 1 || bytes->find("..") != std::string::npos) axes.push_back(std::move(axis));
    }
}

std::vector<Axis> axes_of(const Words& words) {
    std::vector<Axis> axes;
    if (const auto sweep = words.get("--sweep")) {
        if (words.has("--on")) throw RequestError("--on and --sweep both name machines; want one of them");
        axes.push_back({"--on", "topology", swept(*sweep)});
        require_distinct("--sweep", axes.back().values);
    }
    for (const std::string_view column : {"ports", "switching", "combining", "keep"}) {
        const std::string option = fmt::format("--{}", column);
        const std::optional<std::string> text = words.get(option);
        if (text && text->find(',') != std::string::npos)
            axes.push_back({option, std::string(column), values_of(option, *text)});
    }
    if (words.command == "bench") add_bench_axes(words, axes);
    return axes;
}

std::uint64_t machines_in(const std::vector<Axis>& axes) {
    std::uint64_t machines = 1;
    for (const Axis& axis : axes) {
        if (axis.values.size() > machines_max / machines)
            throw RequestError(fmt::format("a comparison of more than {} machines; give fewer values", machines_max));
        machines *= axis.values.size();
    }
    return machines;
}

/// The combination of that number; the last axis changes first.
void add_variant(Words words, const std::vector<Axis>& axes, std::uint64_t number, Variants& variants) {
    std::vector<std::string> values(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        values[i] = axes[i].values[number % axes[i].values.size()];
        number /= axes[i].values.size();
        words.values[axes[i].option] = values[i];
    }
    variants.experiments.push_back(experiment_of(words));
    variants.values.push_back(std::move(values));
}

}  // namespace

Variants variants_of(const Words& words) {
    const std::vector<Axis> axes = axes_of(words);
    const std::uint64_t machines = machines_in(axes);
    Variants variants;
    for (const Axis& axis : axes) variants.columns.push_back(axis.column);
    for (std::uint64_t i = 0; i < machines; ++i) add_variant(words, axes, i, variants);
    return variants;
}

std::string common_line(const Words& words, const Variants& variants, std::string_view one_of_them) {
    const Experiment& e = variants.experiments.front();
    const Machine& machine = e.machine;
    const auto varies = [&](std::string_view column) {
        return std::find(variants.columns.begin(), variants.columns.end(), column) != variants.columns.end();
    };
    std::string line = std::string(name(e.collective.operation));
    if (!varies("topology")) line += fmt::format(" on {}", e.topology().spec());
    line += fmt::format("   {}, ", counted(variants.experiments.size(), one_of_them));
    if (!varies("ports")) line += fmt::format("{}-port ", machine.ports.text());
    line += fmt::format("{} duplex", text(machine.duplex));
    if (!varies("switching")) line += machine.switching == Switching::wormhole ? ", wormhole" : ", store-and-forward";
    if (machine.links == Duplex::half) line += ", half duplex links";
    if (machine.pairwise) line += ", pairwise";
    if (machine.noho == Noho::strict) line += ", strict NOHO";
    if (!varies("combining") && !machine.combining) line += ", noncombining";
    if (machine.policy == Policy::strict) line += ", strict";
    if (e.root()) line += fmt::format(", source {}", words.get("--source").value_or("0"));
    if (e.collective.packets_each != 1) line += fmt::format(", M = {}", e.collective.packets_each);
    return varies("bytes") ? line : line + fmt::format(", {}-byte packet", e.collective.packet_bytes);
}

}  // namespace kport::cli
