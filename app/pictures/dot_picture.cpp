#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/layout.hpp"
#include "app/pictures/picture.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

/// Returns a quoted string of the DOT language: only quotes and backslashes are escaped.
std::string dot_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c == '\n' ? ' ' : c;
    }
    return quoted + "\"";
}

}  // namespace

/// Links are grey undirected edges, messages arrows with their rounds; `neato -n` keeps the positions.
void write_dot(std::ostream& out, const Story& story, const PictureOptions& options) {
    const Topology& topology = story.wires();
    const Layout layout = layout_of(topology);
    const std::vector<Round> learned = rounds_learned(story);
    out << "digraph kport {\n  layout=neato\n  inputscale=72  // positions are in points\n  label="
        << dot_string(story.title + "\n" + story.cost) << "\n  node [shape=circle style=filled fillcolor=white]\n";
    constexpr double points = 90;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        out << fmt::format("  {} [pos=\"{:.1f},{:.1f}!\" tooltip={}{}]\n", v, layout.at[v].x * points,
                           -layout.at[v].y * points, dot_string("node " + topology.name(v)),
                           story.is_switch(v)                                       ? " shape=square"
                           : v >= learned.size() || learned[v] == NodeStates::never ? ""
                                                                                    : " fillcolor=\"#a9d3f0\"");
    for_each_link(topology, [&](NodeId v, NodeId w) {
        const std::uint64_t capacity = topology.capacity(v, topology.port_to(v, w));
        out << fmt::format("  {} -> {} [dir=none color=\"#c3cad1\"{}]\n", v, w,
                           capacity == 1 ? "" : fmt::format(" penwidth={}", capacity));
    });
    const std::vector<Step> all = steps_of(story);
    for (const Step& step : shown(all, options))
        for (std::size_t i = step.begin; i < step.end; ++i) {
            const Transfer transfer = story.schedule.transfer(i);
            const std::string packets = packets_label(story, transfer.packets, 30);
            const auto broken = rule_broken_by(story, step, transfer);
            out << fmt::format("  {} -> {} [label={} color=\"{}\"{}]\n", transfer.from, transfer.to,
                               dot_string(fmt::format("{}{}{}", step.round, packets.empty() ? "" : ": ", packets)),
                               broken ? "#c8002d" : "#b35c00",
                               broken ? fmt::format(" style=dashed tooltip={}", dot_string(name(*broken))) : "");
        }
    out << "}\n";
}

}  // namespace kport
