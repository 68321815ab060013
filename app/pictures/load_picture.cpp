/// @file load_picture.cpp   How many messages pass each link and each node: on the machine, or as a heat map.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/heat_grid.hpp"
#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/scale.hpp"
#include "app/pictures/sheet.hpp"
#include "emulator/report/words.hpp"
#include "emulator/schedule/load.hpp"

namespace kport {
namespace {

constexpr NodeId nodes_on_machine = 1024;
constexpr NodeId nodes_with_counts = 128;
constexpr std::size_t arrows_with_counts = 24;  ///< on small machines, even if the legend names their counts
constexpr double legend_size = 11;

Load load_shown(const Story& story, const PictureOptions& options) {
    return load_of(story.schedule, story.topology(), story.collective, options.first, options.last);
}

std::vector<std::string> busiest_lines(const Load& load, const Topology& topology) {
    return {"busiest link: " + busiest_link_text(load, topology), "busiest node: " + busiest_node_text(load, topology)};
}

/// Whether a count must stand at its link or node: the legend names the counts, but in classes of several they differ.
bool shows_counts(const ValueScale& scale, const Load& load, const Topology& topology) {
    if (topology.wires().nodes() > nodes_with_counts) return false;
    return load.channels.size() <= arrows_with_counts ||
           std::ranges::any_of(scale.classes(), [](const ValueScale::Class& one) { return one.least != one.most; });
}

/// Draws "nodes:" and a sample for each class. Returns the y of the next line.
double put_classes(Svg& svg, double x, double y, const std::string& what, const ValueScale& scale, bool of_links) {
    if (scale.classes().empty()) return y;
    svg.text(x, y, what, {legend_size, colour::ink, "start", true});
    x += text_width(what, legend_size) * 1.15 + 14;
    for (const ValueScale::Class& one : scale.classes()) {
        if (of_links)
            svg.line({x, y - 4}, {x + 22, y - 4}, one.shade.fill, 1.6 + 2.4 * one.weight, svg.head(one.shade.fill));
        else
            svg.circle({x + 12, y - 4}, 7, one.shade.fill, colour::faint, 1.2);
        const std::string says = ValueScale::text_of(one, "message");
        svg.text(x + 30, y, says, {legend_size, colour::ink, "start"});
        x += 30 + text_width(says, legend_size) + 18;
    }
    return y + sheet_line_height;
}

void write_on_machine(std::ostream& out, const Story& story, const PictureOptions& options) {
    const Load load = load_shown(story, options);
    const Topology& topology = story.topology();
    std::vector<double> of_channels;
    std::vector<double> of_nodes;
    for (const ChannelLoad& channel : load.channels) of_channels.push_back(static_cast<double>(channel.messages));
    for (const NodeLoad& node : load.nodes) of_nodes.push_back(static_cast<double>(node.messages()));
    const ValueScale channels(of_channels);
    const ValueScale nodes(of_nodes);
    const bool at_links = shows_counts(channels, load, topology);
    const bool at_nodes = shows_counts(nodes, load, topology);
    Panel panel{text_of_rounds(story, options), std::vector<DrawnNode>(topology.wires().nodes()), {}};
    for (NodeId v = 0; v < panel.nodes.size(); ++v)
        panel.nodes[v].says = fmt::format("node {}: no message", topology.wires().name(v));
    for (const NodeLoad& node : load.nodes) {
        DrawnNode& drawn = panel.nodes[node.node];
        drawn.shade = nodes.of(static_cast<double>(node.messages())).shade;
        if (at_nodes) drawn.label = grouped_count(node.messages());
        drawn.says = fmt::format("node {}: messages {}", topology.wires().name(node.node), messages_of(node));
    }
    for (const ChannelLoad& channel : load.channels) {
        const ValueScale::Class& one = channels.of(static_cast<double>(channel.messages));
        Drawn drawn;
        drawn.from = channel.from;
        drawn.to = channel.to;
        if (at_links) drawn.label = grouped_count(channel.messages);
        drawn.says = fmt::format("{} -> {} by port {}: {}, {} bytes", channel.from, channel.to, channel.port,
                                 grouped_count(channel.messages, "message"), grouped_count(channel.bytes));
        drawn.stroke = one.shade.fill;
        drawn.thick = 1.6 + 2.4 * one.weight;
        panel.messages.push_back(std::move(drawn));
    }
    Sheet sheet{{std::move(panel)}};
    sheet.lines = busiest_lines(load, topology);
    sheet.remark = "links: in the direction of the arrow; nodes: messages that they send, receive and pass on";
    if (topology.wires().nodes() > nodes_with_counts) sheet.remark += "; pointing at one shows its number";
    if (const std::string note = note_on_faults(story); !note.empty()) sheet.remark += "; " + note;
    sheet.legend = [&](Svg& svg, double x, double y) {
        y = put_classes(svg, x, y, "links", channels, true);
        return put_classes(svg, x, y, "nodes", nodes, false) + 4;
    };
    put_sheet(out, story, sheet);
}

/// A square for each node, or for a square of nodes, with the count of the busiest of them.
void write_heat(std::ostream& out, const Story& story, const PictureOptions& options) {
    constexpr std::size_t squares_most = std::size_t{128} * 128;
    constexpr double side_most = 640;
    const Load load = load_shown(story, options);
    const HeatGrid grid(story.topology(), squares_most);
    std::vector<double> most(grid.squares(), 0);
    for (const NodeLoad& node : load.nodes)
        if (node.node < story.topology().nodes()) {
            double& square = most[grid.square_of(node.node)];
            square = std::max(square, static_cast<double>(node.messages()));
        }
    const ValueScale scale(most);
    const double side =
        std::max(2.0, std::min(12.0, side_most / static_cast<double>(std::max(grid.width(), grid.height()))));
    const double width = std::max(width_of_title(story), 2 * sheet_edge + side * static_cast<double>(grid.width()));
    Svg svg;
    double y = put_title(svg, story, width);
    svg.begin_group("squares", "", without_gaps);
    for (std::size_t row = 0; row < grid.height(); ++row)
        for (std::size_t column = 0; column < grid.width();) {
            const std::size_t begin = column;
            const std::size_t at = row * grid.width() + begin;
            if (at >= most.size()) break;
            const auto fill = [&](std::size_t square) {
                return most[square] == 0 ? colour::gave : scale.of(most[square]).shade.fill;
            };
            while (column < grid.width() && row * grid.width() + column < most.size() &&
                   fill(row * grid.width() + column) == fill(at))
                ++column;
            svg.box({sheet_edge + side * static_cast<double>(begin), y + side * static_cast<double>(row),
                     sheet_edge + side * static_cast<double>(column), y + side * static_cast<double>(row + 1)},
                    fill(at));
        }
    svg.end_group();
    y += side * static_cast<double>(grid.height()) + sheet_line_height + 4;
    y = put_classes(svg, sheet_edge, y, "nodes", scale, false) + 4;
    for (const std::string& line : busiest_lines(load, story.topology()))
        y = put_lines(svg, line, {sheet_text_size, colour::ink, "start"}, y, width);
    std::string remark = grid.block() == 1
                             ? "a square for each node, grey without a message"
                             : fmt::format(
                                   "a square for {0} x {0} nodes, coloured as the busiest of them, grey without "
                                   "a message",
                                   grid.block());
    if (const std::string rounds = text_of_rounds(story, options); !rounds.empty()) remark += "; " + rounds;
    if (const std::string note = note_on_faults(story); !note.empty()) remark += "; " + note;
    y = put_lines(svg, remark, {11, colour::faint, "start"}, y, width);
    y = put_broken_rules(svg, story, y, width);
    out << svg.file(width, y, story.title, story.cost);
}

}  // namespace

void write_load(std::ostream& out, const Story& story, const PictureOptions& options) {
    if (story.wires().nodes() <= nodes_on_machine)
        write_on_machine(out, story, options);
    else
        write_heat(out, story, options);
}

}  // namespace kport
