/// Panels of the rounds, and the overview: the machine as SVG below a heading and above a legend.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/sheet.hpp"
#include "emulator/schedule/pair_packets.hpp"

namespace kport {
namespace {

constexpr std::size_t label_letters = 17;

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

/// The machine after the last round shown.
Panel panel_after(const Story& story, const PictureOptions& options) {
    const std::vector<Step> all = steps_of(story);
    const std::span<const Step> steps = shown(all, options);
    NodeStates states(story);
    for (const Step& step : all)
        if (steps.empty() ? step.round < options.first : step.round <= steps.back().round) states.take(step);
    return {fmt::format("after round {}", steps.empty() ? 0 : steps.back().round), drawn_nodes(story, states), {}};
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
    if (has_labels(story) && !panels.empty()) panels.push_back(panel_after(story, options));
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

}  // namespace

void write_panels(std::ostream& out, const Story& story, const PictureOptions& options) {
    const bool alone = is_machine_alone(story);
    Sheet sheet{alone ? std::vector<Panel>{machine_alone(story.topology())} : panels_of(story, options)};
    if (!alone) sheet.remark = remark_on_labels(story);
    sheet.shape = options.shape;
    put_sheet(out, story, sheet);
}

void write_animation(std::ostream& out, const Story& story, const PictureOptions& options) {
    if (is_machine_alone(story)) return write_panels(out, story, options);
    Sheet sheet{panels_of(story, options)};
    if (!sheet.panels.back().messages.empty())  // without labels the panels end with the last round
        sheet.panels.push_back(panel_after(story, options));
    sheet.remark = remark_on_labels(story);
    sheet.seconds = frame_seconds;
    put_sheet(out, story, sheet);
}

void write_overview(std::ostream& out, const Story& story, const PictureOptions& options) {
    const bool alone = is_machine_alone(story);
    Sheet sheet{alone ? std::vector<Panel>{machine_alone(story.topology())} : overviews_of(story, options)};
    if (!alone) sheet.remark = fmt::format("at a message: its round; below a node: {}", learning_of(story));
    sheet.shape = options.shape;
    put_sheet(out, story, sheet);
}

}  // namespace kport
