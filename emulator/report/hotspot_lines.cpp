#include "emulator/report/hotspot_lines.hpp"

#include <fmt/format.h>

#include "emulator/report/words.hpp"

namespace kport {

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
