#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/machine_drawing.hpp"
#include "app/pictures/picture.hpp"

namespace kport {
namespace {

constexpr double margin_left = 64;
constexpr double node_distance = 26;

struct Diagram {
    const Story& story;
    double column;  ///< pixels a round
    double top;

    [[nodiscard]] double x(std::size_t boundary) const { return margin_left + static_cast<double>(boundary) * column; }
    [[nodiscard]] double y(NodeId v) const { return top + static_cast<double>(v) * node_distance; }
};

/// Draws the lines of the nodes, thick from the round in which they have all that they are promised.
void put_lives(Svg& svg, const Diagram& diagram, std::span<const Step> steps, NodeStates& states) {
    const NodeId nodes = diagram.story.topology().nodes();
    for (std::size_t i = 0; i <= steps.size(); ++i) {
        for (NodeId v = 0; v < nodes; ++v) {
            const double y = diagram.y(v);
            if (i < steps.size()) {
                const bool has = states.has(v) == Has::all;
                svg.line({diagram.x(i), y}, {diagram.x(i + 1), y},
                         has                          ? colour::all
                         : states.has(v) == Has::some ? colour::some
                                                      : colour::link,
                         has ? 3 : 1.6);
            }
            svg.circle({diagram.x(i), y}, 4, fill_of(states.has(v)), colour::faint, 1,
                       fmt::format("node {} before round {}: {}", diagram.story.topology().name(v), i + 1,
                                   held_label(diagram.story, v, states.held(v), 200)));
        }
        if (i < steps.size()) states.take(steps[i]);
    }
}

/// A message.
struct Arrow {
    Curve way;
    std::string says;
    std::string label;
    bool broken;
};

std::vector<Arrow> arrows_of(const Diagram& diagram, const Step& step, std::size_t column, std::size_t letters) {
    const Story& story = diagram.story;
    std::vector<Arrow> arrows;
    for (std::size_t i = step.begin; i < step.end; ++i) {
        const Transfer transfer = story.schedule.transfer(i);
        const auto broken = rule_broken_by(story, step, transfer);
        std::string label = packets_label(story, transfer.packets, letters);
        if (broken) label += (label.empty() ? "" : " ") + std::string(title_of(*broken));
        arrows.push_back({Curve::straight({diagram.x(column), diagram.y(transfer.from)},
                                          {diagram.x(column + 1), diagram.y(transfer.to)})
                              .trimmed(5, 6),
                          fmt::format("round {}: {} -> {} {}", step.round, transfer.from, transfer.to,
                                      packets_label(story, transfer.packets, 200)),
                          std::move(label), broken.has_value()});
    }
    return arrows;
}

void put_arrows(Svg& svg, const std::vector<Arrow>& arrows) {
    for (const Arrow& arrow : arrows) {
        svg.begin_group("message", arrow.says);
        svg.curve(arrow.way, arrow.broken ? colour::broken : colour::message, arrow.broken ? 2.2 : 1.6,
                  fmt::format("{}{}", arrow.broken ? head_of_broken : head_of_message,
                              arrow.broken ? " stroke-dasharray=\"5 3\"" : ""));
        svg.end_group();
    }
}

/// Returns the place on a label's arrow where it hides least: of labels, and of other arrows of its round.
Point place_of_label(const Arrow& arrow, double wide, const std::vector<Arrow>& step, const FreePlaces& labels,
                     const FreePlaces& before) {
    constexpr double height_of_line = 4;  // hiding a line counts as much as hiding this much of a text
    double least = std::numeric_limits<double>::infinity();
    Point best;
    for (const double t : {0.5, 0.43, 0.57, 0.36, 0.64, 0.29, 0.71, 0.22, 0.78, 0.16, 0.84}) {
        const Point middle = arrow.way.at(t);
        const Box box = Box::around(middle, wide + 4, label_size + 3);
        double hidden = labels.covered_by(box) + before.covered_by(box);
        for (const Arrow& other : step)
            if (&other != &arrow) hidden += height_of_line * box.length_within(other.way.begin, other.way.end);
        if (hidden >= least) continue;
        least = hidden;
        best = middle;
        if (hidden <= 0) break;
    }
    return best;
}

/// Drawn above all arrows, which would cross them out.
void put_labels(Svg& svg, const std::vector<std::vector<Arrow>>& arrows) {
    FreePlaces before;  // labels of the previous round, which may reach into this one
    for (const std::vector<Arrow>& step : arrows) {
        FreePlaces labels;
        for (const Arrow& arrow : step) {
            if (arrow.label.empty()) continue;
            const double wide = text_width(arrow.label, label_size);
            const Point middle = place_of_label(arrow, wide, step, labels, before);
            labels.take(Box::around(middle, wide, label_size));
            svg.begin_group("label", arrow.says);
            svg.text(middle.x, middle.y + 4, arrow.label,
                     {label_size, arrow.broken ? colour::broken : colour::ink, "middle", arrow.broken, true});
            svg.end_group();
        }
        before = std::move(labels);
    }
}

}  // namespace

void write_space_time(std::ostream& out, const Story& story, const PictureOptions& options) {
    constexpr double edge = 22;
    constexpr std::size_t letters = 14;
    const std::vector<Step> all = steps_of(story);
    const std::span<const Step> steps = shown(all, options);
    const NodeId nodes = story.topology().nodes();
    double widest = 0;
    for (const Step& step : steps)
        for (std::size_t i = step.begin; i < step.end; ++i)
            widest = std::max(
                widest, text_width(packets_label(story, story.schedule.transfer(i).packets, letters), label_size));
    const double column = std::max(92.0, 2 * widest);
    const double width = std::max({700.0, margin_left + column * static_cast<double>(steps.size()) + edge + 10,
                                   std::min(1240.0, text_width(story.title, 17) + 2 * edge)});
    Svg svg;
    double y = 40;
    svg.text(edge, y, story.title, {17, colour::ink, "start", true});
    for (const std::string& line : lines_of(story.cost, 12, width - 2 * edge))
        svg.text(edge, y += 18, line, {12, story.verdict.lawful() ? colour::faint : colour::broken, "start"});
    const Diagram diagram{story, column, y + 54};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        svg.text(diagram.x(i) + column / 2, diagram.top - 22, fmt::format("round {}", steps[i].round),
                 {12, colour::ink, "middle", true});
        svg.line({diagram.x(i), diagram.top - 12}, {diagram.x(i), diagram.y(nodes - 1) + 12}, "#e4e8ec", 1);
    }
    NodeStates states(story);
    for (const Step& step : all)
        if (&step < steps.data()) states.take(step);
    put_lives(svg, diagram, steps, states);
    for (NodeId v = 0; v < nodes; ++v)
        svg.text(margin_left - 14, diagram.y(v) + 4, fmt::to_string(v), {12, colour::ink, "end"});
    std::vector<std::vector<Arrow>> arrows;
    for (std::size_t s = 0; s < steps.size(); ++s) arrows.push_back(arrows_of(diagram, steps[s], s, letters));
    for (const std::vector<Arrow>& of_step : arrows) put_arrows(svg, of_step);
    put_labels(svg, arrows);
    bool any_broken = false;
    for (const std::vector<Arrow>& of_step : arrows) any_broken |= std::ranges::any_of(of_step, &Arrow::broken);
    double bottom = diagram.y(nodes - 1) + 40;
    MachineDrawing::put_legend(svg, story, edge, bottom, any_broken);
    for (std::size_t i = 0; i < std::min<std::size_t>(6, story.verdict.violations.size()); ++i)
        for (const std::string& line :
             lines_of(sentence(story.verdict.violations[i], story.topology()), 12, width - 2 * edge))
            svg.text(edge, bottom += 18, line, {12, colour::broken, "start"});
    out << svg.file(width, bottom + edge, story.title, story.cost);
}

}  // namespace kport
