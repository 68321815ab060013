/// Panels of the rounds, and the overview: the machine as SVG below a heading and above a legend.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/machine_drawing.hpp"
#include "app/pictures/picture.hpp"
#include "emulator/schedule/pair_packets.hpp"

namespace kport {
namespace {

constexpr double edge = 22;
constexpr double title_size = 17;
constexpr double text_size = 12;
constexpr double line_height = 17;
constexpr double page_width = 1240;  ///< a title is broken beyond it
constexpr double least_width = 700;
constexpr std::size_t label_letters = 17;

struct Panel {
    std::string heading;
    std::vector<DrawnNode> nodes;
    std::vector<Drawn> messages;
};

std::string name_and_state(const Story& story, NodeId v, const std::string& holds) {
    return fmt::format("node {}{}{}", story.topology().name(v), holds.empty() ? "" : ": ", holds);
}

Drawn drawn(const Story& story, const Step& step, const Transfer& transfer) {
    Drawn message{transfer.from,
                  transfer.to,
                  {transfer.route.begin(), transfer.route.end()},
                  "",
                  "",
                  rule_broken_by(story, step, transfer)};
    message.label = packets_label(story, transfer.packets, label_letters);
    message.says = fmt::format("round {}: {} -> {} {}", step.round, transfer.from, transfer.to,
                               packets_label(story, transfer.packets, 200));
    return message;
}

std::vector<DrawnNode> drawn_nodes(const Story& story, const NodeStates& states) {
    std::vector<DrawnNode> nodes(story.topology().nodes());
    for (NodeId v = 0; v < nodes.size(); ++v) {
        nodes[v].has = states.has(v);
        nodes[v].label = has_labels(story) ? held_label(story, v, states.held(v), label_letters) : "";
        nodes[v].says = name_and_state(story, v, has_labels(story) ? held_label(story, v, states.held(v), 200) : "");
    }
    return nodes;
}

std::vector<Panel> panels_of(const Story& story, const PictureOptions& options) {
    const std::vector<Step> all = steps_of(story);
    const std::span<const Step> steps = shown(all, options);
    std::vector<Panel> panels;
    NodeStates states(story);
    for (const Step& step : all) {
        const bool is_shown = &step >= steps.data() && &step < steps.data() + steps.size();
        if (!is_shown) {
            if (&step < steps.data()) states.take(step);
            continue;
        }
        Panel panel{fmt::format("round {}", step.round), drawn_nodes(story, states), {}};
        for (std::size_t i = step.begin; i < step.end; ++i) {
            panel.messages.push_back(drawn(story, step, story.schedule.transfer(i)));
            panel.nodes[panel.messages.back().to].receives = true;
        }
        for (const std::size_t i : step.violations)
            if (const NodeId v = story.verdict.violations[i].node; v < panel.nodes.size()) panel.nodes[v].broken = true;
        panels.push_back(std::move(panel));
        states.take(step);
    }
    if (has_labels(story) && !panels.empty())
        panels.push_back({fmt::format("after round {}", steps.back().round), drawn_nodes(story, states), {}});
    if (panels.empty()) panels.push_back({"nothing moves", drawn_nodes(story, states), {}});
    return panels;
}

/// The machine with everything that moved in these steps.
Panel overview_of(const Story& story, std::string heading, std::span<const Step> steps,
                  const std::vector<Round>& learned) {
    Panel panel{std::move(heading), std::vector<DrawnNode>(story.topology().nodes()), {}};
    std::map<std::tuple<NodeId, NodeId, std::vector<Port>>, std::size_t> known;
    for (const Step& step : steps)
        for (std::size_t i = step.begin; i < step.end; ++i) {
            Drawn message = drawn(story, step, story.schedule.transfer(i));
            message.label = fmt::to_string(step.round);
            const auto [at, is_new] =
                known.try_emplace({message.from, message.to, message.route}, panel.messages.size());
            if (is_new) {
                panel.messages.push_back(std::move(message));
            } else {
                Drawn& first = panel.messages[at->second];
                first.label += "," + message.label;
                first.says += "; " + message.says;
                if (!first.broken) first.broken = message.broken;
            }
        }
    const bool inwards = story.collective.inwards();
    for (NodeId v = 0; v < panel.nodes.size(); ++v) {
        const bool did = learned[v] != NodeStates::never;
        DrawnNode& node = panel.nodes[v];
        node.has = !did ? Has::nothing : inwards && v != story.collective.root ? Has::gave : Has::all;
        node.label = did ? fmt::format("{}", learned[v]) : "-";
        node.says = name_and_state(story, v, "");
    }
    for (const Violation& violation : story.verdict.violations)
        if (violation.node < panel.nodes.size()) panel.nodes[violation.node].broken = true;
    return panel;
}

/// If every node gets the result of one node, there are two trees: to that node and back.
std::vector<Panel> overviews_of(const Story& story, const PictureOptions& options) {
    const std::vector<Step> all = steps_of(story);
    const std::span<const Step> steps = shown(all, options);
    const std::vector<Round> learned = rounds_learned(story);
    const bool two_trees = story.collective.folds() && !story.collective.inwards() && !story.collective.scans();
    if (two_trees) {
        const Round folded = std::ranges::min(learned);
        const auto split = std::ranges::upper_bound(steps, folded, {}, &Step::round);
        if (split != steps.end() && split != steps.begin())
            return {overview_of(story, "folding", {steps.begin(), split}, learned),
                    overview_of(story, "the result goes out", {split, steps.end()}, learned)};
    }
    return {overview_of(story, "", steps, learned)};
}

double widest_label(const std::vector<Panel>& panels, bool of_nodes) {
    double widest = 0;
    for (const Panel& panel : panels) {
        if (of_nodes)
            for (const DrawnNode& node : panel.nodes) widest = std::max(widest, text_width(node.label, label_size));
        else
            for (const Drawn& message : panel.messages)
                widest = std::max(widest, text_width(message.label, label_size));
    }
    return widest;
}

bool go_both_ways(const std::vector<Panel>& panels) {
    for (const Panel& panel : panels) {
        std::set<std::pair<NodeId, NodeId>> directions;
        for (const Drawn& message : panel.messages) directions.emplace(message.from, message.to);
        for (const auto& [from, to] : directions)
            if (directions.contains({to, from})) return true;
    }
    return false;
}

/// The machine's nodes with their coordinates or names.
Panel machine_alone(const Topology& topology) {
    Panel panel{"", std::vector<DrawnNode>(topology.nodes()), {}};
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        panel.nodes[v].label = topology.label(v).substr(0, label_letters);
        panel.nodes[v].says = "node " + topology.name(v);
    }
    return panel;
}

/// Explains the texts below the nodes, and the names of packets that have two numbers.
std::string remark_on_labels(const Story& story) {
    if (!has_labels(story)) return "";
    const Collective& collective = story.collective;
    const std::string below = collective.scans()     ? "[what its result has so far] {all that it knows}"
                              : collective.folds()   ? "whose contributions it holds when the round begins"
                              : collective.signals() ? "of whom it knows, when the round begins, that they have entered"
                                                     : "the packets that it holds when the round begins";
    const std::uint64_t each = collective.packets_each;
    std::string names;
    if (has_pairs(collective.operation))
        names = each == 1 ? "; 0>1 is the packet of node 0 for node 1"
                          : fmt::format("; {}>0 is the first packet of node 1 for node 0", each);
    else if (collective.segments(story.topology().nodes()) > 1)
        names = "; 0:1 is the contribution of node 0 to segment 1, result:1 the result of the segment";
    else if (collective.operation->packets(collective, story.topology().nodes()).rows > 1)
        names = "; 0:1 is packet 1 of node 0";
    return fmt::format("below a node: {}{}", below, names);
}

/// How many panels stand side by side, so that the picture comes nearest to a shape; rows have about equal length.
std::size_t columns_of(std::size_t panels, double panel_width, double panel_height, double shape) {
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t columns = 1; columns <= panels; ++columns) {
        const std::size_t rows = (panels + columns - 1) / columns;
        const double height = static_cast<double>(rows) * panel_height / (static_cast<double>(columns) * panel_width);
        const double distance = std::abs(std::log(height / shape));
        if (distance >= least) continue;
        least = distance;
        best = columns;
    }
    const std::size_t rows = (panels + best - 1) / best;
    return (panels + rows - 1) / rows;
}

void put_page(std::ostream& out, const Story& story, const std::vector<Panel>& panels, const std::string& remark,
              double shape) {
    constexpr double gap = 14;
    constexpr double heading_height = 26;
    constexpr std::size_t sentences_most = 6;
    const MachineDrawing machine(story, widest_label(panels, true), widest_label(panels, false), go_both_ways(panels));
    const double panel_width = machine.width() + gap;
    const double panel_height = machine.height() + heading_height + gap;
    const std::size_t columns = columns_of(panels.size(), panel_width, panel_height, shape);
    const std::size_t rows = (panels.size() + columns - 1) / columns;
    const double width = std::max({least_width, 2 * edge + static_cast<double>(columns) * panel_width - gap,
                                   2 * edge + std::min(text_width(story.title, title_size), page_width)});
    Svg svg;
    double y = edge + title_size;
    const auto put_lines = [&](std::string_view text, const TextStyle& style) {
        for (const std::string& line : lines_of(text, style.size, width - 2 * edge)) {
            svg.text(edge, y, line, style);
            y += style.size * 1.4;
        }
    };
    put_lines(story.title, {title_size, colour::ink, "start", true});
    put_lines(story.cost, {text_size, story.verdict.lawful() ? colour::faint : colour::broken, "start"});
    const double left = (width - (static_cast<double>(columns) * panel_width - gap)) / 2;
    bool any_broken = false;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& panel = panels[i];
        svg.begin_at(left + static_cast<double>(i % columns) * panel_width,
                     y + static_cast<double>(i / columns) * panel_height);
        svg.box({0, 0, machine.width(), machine.height() + heading_height}, "#fbfcfd", 6, "#e4e8ec");
        svg.text(12, 19, panel.heading, {13, colour::ink, "start", true});
        svg.begin_at(0, heading_height);
        machine.put(svg, panel.nodes, panel.messages);
        svg.end_group();
        svg.end_group();
        any_broken |= std::ranges::any_of(panel.messages, [](const Drawn& m) { return m.broken.has_value(); });
    }
    y += static_cast<double>(rows) * panel_height + line_height;
    if (!is_machine_alone(story)) {
        MachineDrawing::put_legend(svg, story, edge, y, any_broken);
        y += line_height + 4;
    }
    if (!remark.empty()) put_lines(remark, {11, colour::faint, "start"});
    const std::vector<Violation>& violations = story.verdict.violations;
    for (std::size_t i = 0; i < std::min(sentences_most, violations.size()); ++i)
        put_lines(sentence(violations[i], story.topology()), {text_size, colour::broken, "start"});
    if (story.verdict.violation_count > sentences_most)
        put_lines(fmt::format("and {} more", story.verdict.violation_count - sentences_most),
                  {text_size, colour::broken, "start"});
    out << svg.file(width, y, story.title, story.cost);
}

}  // namespace

void write_panels(std::ostream& out, const Story& story, const PictureOptions& options) {
    if (is_machine_alone(story)) return put_page(out, story, {machine_alone(story.topology())}, "", options.shape);
    put_page(out, story, panels_of(story, options), remark_on_labels(story), options.shape);
}

void write_overview(std::ostream& out, const Story& story, const PictureOptions& options) {
    if (is_machine_alone(story)) return put_page(out, story, {machine_alone(story.topology())}, "", options.shape);
    put_page(out, story, overviews_of(story, options),
             fmt::format("at a message: its round; below a node: {}", learning_of(story)), options.shape);
}

}  // namespace kport
