#include <algorithm>

#include <fmt/format.h>

#include "pictures/labels.hpp"
#include "pictures/machine_drawing.hpp"
#include "pictures/picture.hpp"

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

/// The lines of the nodes, thick from where they have what they are to have.
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
    FreePlaces places;
    for (NodeId v = 0; v < nodes; ++v)
        svg.text(margin_left - 14, diagram.y(v) + 4, fmt::to_string(v), {12, colour::ink, "end"});
    bool any_broken = false;
    for (std::size_t s = 0; s < steps.size(); ++s)
        for (std::size_t i = steps[s].begin; i < steps[s].end; ++i) {
            const Transfer transfer = story.schedule.transfer(i);
            const auto broken = rule_broken_by(story, steps[s], transfer);
            any_broken |= broken.has_value();
            const Curve way =
                Curve::straight({diagram.x(s), diagram.y(transfer.from)}, {diagram.x(s + 1), diagram.y(transfer.to)})
                    .trimmed(5, 6);
            std::string label = packets_label(story, transfer.packets, letters);
            svg.begin_group("message", fmt::format("round {}: {} -> {} {}", steps[s].round, transfer.from, transfer.to,
                                                   packets_label(story, transfer.packets, 200)));
            svg.curve(way, broken ? colour::broken : colour::message, broken ? 2.2 : 1.6,
                      fmt::format("{}{}", broken ? head_of_broken : head_of_message,
                                  broken ? " stroke-dasharray=\"5 3\"" : ""));
            if (broken) label += (label.empty() ? "" : " ") + std::string(title_of(*broken));
            if (!label.empty()) {
                std::vector<Point> middles;
                for (const double t : {0.5, 0.36, 0.64, 0.25, 0.75, 0.16, 0.84}) middles.push_back(way.at(t));
                const double wide = text_width(label, label_size);
                const Point middle = places.place(middles, wide, label_size);
                svg.text(middle.x, middle.y + 4, label,
                         {label_size, broken ? colour::broken : colour::ink, "middle", broken.has_value(), true});
            }
            svg.end_group();
        }
    double bottom = diagram.y(nodes - 1) + 40;
    MachineDrawing::put_legend(svg, story, edge, bottom, any_broken);
    for (std::size_t i = 0; i < std::min<std::size_t>(6, story.verdict.violations.size()); ++i)
        for (const std::string& line :
             lines_of(sentence(story.verdict.violations[i], story.topology()), 12, width - 2 * edge))
            svg.text(edge, bottom += 18, line, {12, colour::broken, "start"});
    out << svg.file(width, bottom + edge, story.title, story.cost);
}

}  // namespace kport
