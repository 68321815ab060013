#include "emulator/report/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/machine/presets.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/schedule/participants.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/renumbered.hpp"

namespace kport {

std::string number(double value) {
    constexpr double exact_below = 9007199254740992.0;  // 2^53
    if (std::abs(value) < exact_below && value == std::floor(value)) return fmt::format("{:.0f}", value);
    return fmt::format("{:.10g}", value);
}

namespace {

/// Separates the thousands of a number in decimal.
std::string with_commas(std::string digits) {
    constexpr std::size_t least = 5;
    const std::size_t begin = digits.starts_with('-') ? 1 : 0;
    const std::size_t end = std::min(digits.find_first_not_of("0123456789", begin), digits.size());
    if (end - begin < least || digits.find('e') != std::string::npos) return digits;
    for (std::size_t at = end - 3; at > begin; at = at > begin + 3 ? at - 3 : begin) digits.insert(at, 1, ',');
    return digits;
}

}  // namespace

std::string grouped(double value) { return with_commas(number(value)); }
std::string grouped_count(std::uint64_t count) { return with_commas(fmt::to_string(count)); }
std::string grouped_count(std::uint64_t count, std::string_view singular) {
    return fmt::format("{} {}{}", grouped_count(count), singular, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
    if (seconds >= 1) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 2 : 1);
    const double ms = seconds * 1e3;
    return fmt::format("{:.{}f} ms", ms, ms < 0.95 ? 2 : ms < 10 ? 1 : 0);
}

std::string memory(double bytes) {
    constexpr std::array<std::string_view, 6> units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string noun_of(const Operation& operation, std::uint64_t packets_each) {
    const bool plural = packets_each > 1 && (operation.inwards() || operation->noun.ends_with("packet"));
    return std::string(operation->noun) + (plural ? "s" : "");
}

std::string noun_of_one(const Operation& operation, std::uint64_t packets_each) {
    constexpr std::string_view of_many = "their ";
    const std::string noun = noun_of(operation, packets_each);
    return noun.starts_with(of_many) ? fmt::format("its {}", noun.substr(of_many.size())) : noun;
}

std::string title(const Collective& collective, const std::optional<NodeId>& root, const Topology& topology) {
    if (!collective.promises()) return fmt::format("own program on {}", topology.spec());
    std::string asked(collective.asked_name());
    if (collective.is_own() && !collective.own()->title.empty()) asked += " " + collective.own()->title;
    if (collective.sources != nullptr) {
        constexpr std::size_t named_max = 8;
        std::vector<std::string> names;
        for (const NodeId v : *collective.sources | std::views::take(named_max)) names.push_back(topology.name(v));
        asked += fmt::format(" from {} {}{}", names.size() == 1 ? "node" : "nodes", fmt::join(names, ", "),
                             collective.sources->size() > named_max ? ", ..." : "");
    }
    if (collective.operation == Operation::permutation) asked += " " + short_text(collective.permutation);
    if (!root) return fmt::format("{} on {}", asked, machine_in_words(collective, topology));
    return fmt::format("{} {} node {} on {}", asked,
                       collective.inwards()  ? "to"
                       : collective.rooted() ? "from"
                                             : "through",
                       topology.name(*root), machine_in_words(collective, topology));
}

std::string machine_line(const Machine& machine) {
    const std::string family = family_in_words(*machine.topology);
    return fmt::format("{}{}, {}, {}{}{}", grouped_count(machine.topology->nodes(), "node"),
                       family.empty() ? "" : fmt::format(" ({})", family),
                       grouped_count(machine.topology->channels(), "channel"), machine.describe(),
                       machine.combining ? "" : ", noncombining", machine.policy == Policy::strict ? ", strict" : "");
}

namespace {

/// "13 packets, 0 to 4 a node, of 64 bytes"
std::string counts_in_words(const Counts& counts, bool folds, std::uint64_t packet_bytes) {
    const std::string_view each = counts.of_pairs() ? "pair" : folds ? "block" : "node";
    if (const Counts* const bytes = counts.bytes())
        return fmt::format("{} of {} to {}", grouped_count(counts.total(), folds ? "segment" : "packet"),
                           grouped_count(bytes->least()), grouped_count(bytes->largest(), "byte"));
    const std::string range =
        counts.least() == counts.largest()
            ? grouped_count(counts.least())
            : fmt::format("{} to {}", grouped_count(counts.least()), grouped_count(counts.largest()));
    return fmt::format("{}, {} a {}, of {}", grouped_count(counts.total(), folds ? "segment" : "packet"), range, each,
                       grouped_count(packet_bytes, "byte"));
}

/// What is moved: "64-byte packet", "3 packets of 64 bytes".
std::string packets_in_words(const Collective& collective) {
    const std::uint64_t bytes = collective.packet_bytes;
    if (collective.own_folds() != nullptr && !collective.has_sizes())
        return fmt::format("{} of {}", grouped_count(collective.own()->packets, "segment"),
                           grouped_count(bytes, "byte"));
    if (const auto counts = asked_counts(collective)) return counts_in_words(*counts, collective.folds(), bytes);
    if (collective.packets_each == 1) return fmt::format("{}-byte packet", grouped_count(bytes));
    return fmt::format("{} {} of {}", grouped_count(collective.packets_each),
                       collective.folds() ? "segments" : "packets", grouped_count(bytes, "byte"));
}

/// "model   logp:6,2,4: ts = 10, td = 0, tm = 0; rounds are synchronous: ..."
std::string preset_line(const Costs& costs) {
    return fmt::format("model   {}: ts = {}, td = {}, tm = {}{}\n", costs.preset, number(costs.startup),
                       number(costs.hop), number(costs.byte),
                       overlaps_sends(costs) ? fmt::format("; {}", note_of_overlap) : "");
}

}  // namespace

std::string request_line(const Collective& collective, const std::optional<NodeId>& root, const Machine& machine,
                         std::size_t width) {
    constexpr std::size_t hang = 8;
    const bool in_packets = collective.promises() && !collective.signals();
    std::string broken;
    if (const Remains* left = as_broken(*machine.topology)) {
        const Topology& now = *machine.topology;
        std::vector<std::string> cut_off;
        for (const NodeId v : left->cut_off()) cut_off.push_back(left->whole()->wires().name(v));
        broken = wrapped(
            fmt::format("left    {} of {}, {} of {}; broken: {}{}\n", grouped_count(now.nodes()),
                        grouped_count(left->whole()->nodes(), now.fabric() == nullptr ? "node" : "host"),
                        grouped_count(now.wires().channels() / 2),
                        grouped_count(left->whole()->wires().channels() / 2, "link"), fmt::join(broken_in(now), ", "),
                        cut_off.empty() ? "" : fmt::format("; cut off: {}", fmt::join(cut_off, ", "))),
            hang, width);
    }
    return wrapped(fmt::format("{}   {}{}\n", title(collective, root, *machine.topology), machine_line(machine),
                               in_packets ? ", " + packets_in_words(collective) : ""),
                   hang, width, Break::phrases) +
           broken + (machine.costs.preset.empty() ? "" : wrapped(preset_line(machine.costs), hang, width));
}

namespace {

/// Hosts and switches have names in wires().
std::string name_of(const Topology& topology, NodeId v) {
    return v < topology.nodes() ? topology.name(v) : topology.wires().name(v);
}

std::string path_lines(const CriticalPath& path, double latency, const Topology& topology) {
    constexpr std::size_t at_each_end = 4;
    if (path.messages.empty()) return "";
    std::string text = fmt::format("path    {}\n", critical_path_text(path, latency, topology));
    for (std::size_t i = 0; i < path.messages.size(); ++i) {
        const CriticalMessage& message = path.messages[i];
        const std::size_t left = path.messages.size() - i;
        if (i == at_each_end && left > at_each_end + 1) {
            text += fmt::format("        ... {}\n", grouped_count(left - at_each_end, "message"));
            i = path.messages.size() - at_each_end - 1;
            continue;
        }
        const std::string reason = reason_of(message, topology);
        text += fmt::format("        round {}: {} -> {}{}{}\n", grouped_count(message.round),
                            name_of(topology, message.from), name_of(topology, message.to), reason.empty() ? "" : ", ",
                            reason);
    }
    if (path.other_rounds > 0) text += fmt::format("        {}\n", other_rounds_text(path));
    return text;
}

}  // namespace

std::string busiest_link_text(const Load& load, const Topology& topology) {
    const ChannelLoad* const channel = load.busiest_channel();
    if (channel == nullptr) return "none";
    return fmt::format("{} -> {}, {} of {}, {} bytes", name_of(topology, channel->from), name_of(topology, channel->to),
                       grouped_count(channel->messages), grouped_count(load.messages, "message"),
                       grouped_count(channel->bytes));
}

std::string busiest_node_text(const Load& load, const Topology& topology) {
    const NodeLoad* const node = load.busiest_node();
    return node == nullptr ? "none" : fmt::format("{}, messages {}", name_of(topology, node->node), messages_of(*node));
}

std::string critical_path_text(const CriticalPath& path, double latency, const Topology& topology) {
    const CriticalMessage& last = path.messages.back();
    return fmt::format("the last receipt, at node {} in round {}, ends a chain of {}; latency {} of {}",
                       name_of(topology, last.to), grouped_count(last.round),
                       grouped_count(path.messages.size(), "message"), grouped(path.latency), grouped(latency));
}

std::string other_rounds_text(const CriticalPath& path) {
    return fmt::format("in {} before the last receipt no message of the chain moves",
                       grouped_count(path.other_rounds, "round"));
}

std::string messages_of(const NodeLoad& node) {
    const std::string passed = node.passed_on == 0 ? "" : fmt::format(", {} passed on", grouped_count(node.passed_on));
    return fmt::format("{} ({} sent, {} received{})", grouped_count(node.messages()), grouped_count(node.sent),
                       grouped_count(node.received), passed);
}

std::string reason_of(const CriticalMessage& message, const Topology& topology) {
    switch (message.delay) {
        case Delay::start: return "";
        case Delay::packet: return "waits for its packet";
        case Delay::sender: return fmt::format("waits for a port of node {}", name_of(topology, message.from));
        case Delay::receiver: return fmt::format("waits for a port of node {}", name_of(topology, message.to));
    }
    return "";
}

std::string hotspot_lines(const Report& report) {
    if (!report.hotspots) return "";
    const Topology& topology = *report.machine.topology;
    const Load& load = report.hotspots->load;
    return fmt::format("load    busiest link: {}\n        busiest node: {}\n", busiest_link_text(load, topology),
                       busiest_node_text(load, topology)) +
           path_lines(report.hotspots->path, report.verdict.metrics.latency, topology);
}

}  // namespace kport
