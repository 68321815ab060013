/// @file path_picture.cpp   The messages that make the last receipt late, on the machine.
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/sheet.hpp"
#include "emulator/report/words.hpp"

namespace kport {
namespace {

constexpr double sample_size = 11;

/// Where the transfer stands in words, and whether it breaks a rule.
Drawn drawn_message(const Story& story, const CriticalMessage& message) {
    const Transfer transfer = story.schedule.transfer(message.transfer);
    Drawn drawn;
    drawn.from = message.from;
    drawn.to = message.to;
    drawn.route.assign(transfer.route.begin(), transfer.route.end());
    drawn.label = fmt::to_string(message.round);
    const std::string reason = reason_of(message, story.topology());
    drawn.says = fmt::format("round {}: {} -> {} {}{}{}", message.round, message.from, message.to,
                             packets_label(story, transfer.packets, 200), reason.empty() ? "" : "; ", reason);
    return drawn;
}

Panel panel_of(const Story& story, const CriticalPath& path) {
    Panel panel{"", std::vector<DrawnNode>(story.topology().nodes()), {}};
    for (NodeId v = 0; v < panel.nodes.size(); ++v) panel.nodes[v].says = "node " + story.topology().name(v);
    std::map<std::tuple<NodeId, NodeId, std::vector<Port>>, std::size_t> known;
    for (const CriticalMessage& message : path.messages) {
        Drawn drawn = drawn_message(story, message);
        const auto [at, is_new] = known.try_emplace({drawn.from, drawn.to, drawn.route}, panel.messages.size());
        if (is_new) {
            panel.messages.push_back(std::move(drawn));
        } else {
            panel.messages[at->second].label += "," + drawn.label;
            panel.messages[at->second].says += "; " + drawn.says;
        }
        for (const NodeId v : {message.from, message.to}) panel.nodes[v].has = Has::some;
    }
    if (!path.messages.empty()) {
        panel.nodes[path.messages.back().to].has = Has::all;
        panel.nodes[path.messages.back().to].receives = true;
    }
    return panel;
}

double put_samples(Svg& svg, double x, double y) {
    const auto node = [&](Has has, bool receives, std::string_view says) {
        svg.circle({x + 7, y - 4}, 6, fill_of(has), receives ? colour::message : colour::faint, receives ? 2.6 : 1.2);
        svg.text(x + 18, y, says, {sample_size, colour::ink, "start"});
        x += 18 + text_width(says, sample_size) + 18;
    };
    node(Has::some, false, "on the chain");
    node(Has::all, true, "receives last");
    svg.line({x, y - 4}, {x + 24, y - 4}, colour::message, 2, head_of_message);
    svg.text(x + 30, y, "message of the chain, with its round", {sample_size, colour::ink, "start"});
    return y + sheet_line_height + 4;
}

/// A line for each message; of a long chain its beginning and end.
std::vector<std::string> lines_of_path(const Story& story, const CriticalPath& path) {
    constexpr std::size_t at_each_end = 8;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < path.messages.size(); ++i) {
        const std::size_t left = path.messages.size() - i;
        if (i == at_each_end && left > at_each_end + 1) {
            lines.push_back(fmt::format("... {}", grouped_count(left - at_each_end, "message")));
            i = path.messages.size() - at_each_end - 1;
            continue;
        }
        const CriticalMessage& message = path.messages[i];
        const Transfer transfer = story.schedule.transfer(message.transfer);
        const std::string reason = reason_of(message, story.topology());
        const std::string packets = packets_label(story, transfer.packets, 40);
        lines.push_back(fmt::format("round {}: {} -> {}{}{}{}{}", grouped_count(message.round), message.from,
                                    message.to, packets.empty() ? "" : " ", packets, reason.empty() ? "" : ", ",
                                    reason));
    }
    return lines;
}

}  // namespace

void write_critical_path(std::ostream& out, const Story& story, const PictureOptions& options) {
    const CriticalPath path = critical_path(story.schedule, story.machine, story.collective);
    Sheet sheet{{panel_of(story, path)}};
    if (path.messages.empty()) {
        sheet.panels.front().heading = "nothing moves";
    } else {
        sheet.legend = put_samples;
        sheet.lines = {critical_path_text(path, story.verdict.metrics.latency, story.topology())};
        for (std::string& line : lines_of_path(story, path)) sheet.lines.push_back(std::move(line));
        if (path.other_rounds > 0) sheet.lines.push_back(other_rounds_text(path));
    }
    sheet.remark = note_on_faults(story);
    sheet.shape = options.shape;
    put_sheet(out, story, sheet);
}

}  // namespace kport
