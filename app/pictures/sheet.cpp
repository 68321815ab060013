#include "app/pictures/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"

namespace kport {
namespace {

constexpr double title_size = 17;
constexpr double page_width = 1240;  ///< a title is broken beyond it
constexpr double least_width = 700;

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

void put_panel(Svg& svg, const Panel& panel, const MachineDrawing& machine, double heading_height) {
    svg.box({0, 0, machine.width(), machine.height() + heading_height}, "#fbfcfd", 6, "#e4e8ec");
    svg.text(12, 19, panel.heading, {13, colour::ink, "start", true});
    svg.begin_at(0, heading_height);
    machine.put(svg, panel.nodes, panel.messages);
    svg.end_group();
}

/// Panels of which one is visible at a time: by a style sheet, so that the last one stands still where readers ask for less motion, and
/// where a program does not know animations.
void put_frames(Svg& svg, const Sheet& sheet, const MachineDrawing& machine, double left, double top,
                double heading_height) {
    const auto frames = static_cast<double>(sheet.panels.size());
    svg.style(
        fmt::format("@keyframes turn{{0%{{visibility:visible}}{:.4f}%{{visibility:hidden}}100%{{visibility:hidden}}}}"
                    "@media (prefers-reduced-motion:no-preference){{.frame{{animation:turn {:g}s step-end infinite}}}}",
                    100 / frames, frames * sheet.seconds));
    for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
        const bool is_last = i + 1 == sheet.panels.size();
        svg.begin_group("frame", "",
                        fmt::format(" id=\"frame-{}\" visibility=\"{}\" style=\"animation-delay:{:g}s\"", i,
                                    is_last ? "visible" : "hidden", (static_cast<double>(i) - frames) * sheet.seconds));
        svg.begin_at(left, top);
        put_panel(svg, sheet.panels[i], machine, heading_height);
        svg.end_group();
        svg.end_group();
    }
}

/// Returns the y below the panels.
double put_panels(Svg& svg, const std::vector<Panel>& panels, const MachineDrawing& machine, std::size_t columns,
                  double y, double width) {
    constexpr double gap = 14;
    constexpr double heading_height = 26;
    const double panel_width = machine.width() + gap;
    const double panel_height = machine.height() + heading_height + gap;
    const double left = (width - (static_cast<double>(columns) * panel_width - gap)) / 2;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& panel = panels[i];
        const std::size_t row = i / columns;
        svg.begin_at(left + static_cast<double>(i % columns) * panel_width,
                     y + static_cast<double>(row) * panel_height);
        put_panel(svg, panel, machine, heading_height);
        svg.end_group();
    }
    const std::size_t rows = (panels.size() + columns - 1) / columns;
    return y + static_cast<double>(rows) * panel_height;
}

}  // namespace

double width_of_title(const Story& story) {
    return std::max(least_width, 2 * sheet_edge + std::min(text_width(story.title, title_size), page_width));
}

double put_lines(Svg& svg, std::string_view text, const TextStyle& style, double y, double width) {
    for (const std::string& line : lines_of(text, style.size, width - 2 * sheet_edge)) {
        svg.text(sheet_edge, y, line, style);
        y += style.size * 1.4;
    }
    return y;
}

double put_title(Svg& svg, const Story& story, double width) {
    const double y =
        put_lines(svg, story.title, {title_size, colour::ink, "start", true}, sheet_edge + title_size, width);
    const std::string_view colour = story.verdict.lawful() ? colour::faint : colour::broken;
    return put_lines(svg, story.cost, {sheet_text_size, colour, "start"}, y, width);
}

double put_broken_rules(Svg& svg, const Story& story, double y, double width) {
    constexpr std::size_t sentences_most = 6;
    const TextStyle style{sheet_text_size, colour::broken, "start"};
    const std::vector<Violation>& violations = story.verdict.violations;
    for (std::size_t i = 0; i < std::min(sentences_most, violations.size()); ++i)
        y = put_lines(svg, sentence(violations[i], story.topology()), style, y, width);
    if (story.verdict.violation_count > sentences_most)
        y = put_lines(svg, fmt::format("and {} more", story.verdict.violation_count - sentences_most), style, y, width);
    return y;
}

std::string note_on_faults(const Story& story) {
    for (const auto& [name, text] : story.facts)
        if (name == "note") return text;
    return "";
}

std::string text_of_rounds(const Story& story, const PictureOptions& options) {
    const std::vector<Step> all = steps_of(story);
    const std::span<const Step> steps = shown(all, options);
    if (steps.size() == all.size() || steps.empty()) return "";
    const Round first = steps.front().round;
    const Round last = steps.back().round;
    return first == last ? fmt::format("round {}", first) : fmt::format("rounds {} to {}", first, last);
}

void put_sheet(std::ostream& out, const Story& story, const Sheet& sheet) {
    const std::vector<Panel>& panels = sheet.panels;
    constexpr double gap = 14;
    constexpr double heading_height = 26;
    const MachineDrawing machine(story, widest_label(panels, true), widest_label(panels, false), go_both_ways(panels));
    const double panel_width = machine.width() + gap;
    const std::size_t columns = sheet.seconds > 0 ? 1
                                                  : columns_of(panels.size(), panel_width,
                                                               machine.height() + heading_height + gap, sheet.shape);
    const double width =
        std::max(width_of_title(story), 2 * sheet_edge + static_cast<double>(columns) * panel_width - gap);
    Svg svg;
    double y = put_title(svg, story, width);
    if (sheet.seconds > 0) {
        put_frames(svg, sheet, machine, (width - machine.width()) / 2, y, heading_height);
        y += machine.height() + heading_height + gap + sheet_line_height;
    } else {
        y = put_panels(svg, panels, machine, columns, y, width) + sheet_line_height;
    }
    const bool any_broken = std::ranges::any_of(panels, [](const Panel& panel) {
        return std::ranges::any_of(panel.messages, [](const Drawn& m) { return m.broken.has_value(); });
    });
    if (sheet.legend) {
        y = sheet.legend(svg, sheet_edge, y);
    } else if (!is_machine_alone(story)) {
        MachineDrawing::put_legend(svg, story, sheet_edge, y, any_broken);
        y += sheet_line_height + 4;
    }
    for (const std::string& line : sheet.lines)
        y = put_lines(svg, line, {sheet_text_size, colour::ink, "start"}, y, width);
    if (!sheet.remark.empty()) y = put_lines(svg, sheet.remark, {11, colour::faint, "start"}, y, width);
    y = put_broken_rules(svg, story, y, width);
    out << svg.file(width, y, story.title, story.cost);
}

}  // namespace kport
