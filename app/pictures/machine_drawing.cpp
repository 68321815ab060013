#include "app/pictures/machine_drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"

namespace kport {
namespace {

constexpr double number_size = 12;

/// Returns positions for a text at a message, the best first: on its line, or to one side of it, right in its
/// direction.
std::vector<Point> beside(const Curve& curve, double width, bool on_line, bool right_first) {
    std::vector<Point> places;
    const double length = std::max(distance(curve.begin, curve.end), 1e-9);
    const Point right{-(curve.end.y - curve.begin.y) / length, (curve.end.x - curve.begin.x) / length};
    const double off = std::abs(right.x) * width / 2 + std::abs(right.y) * label_size / 2 + 4;
    constexpr std::array along{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74};
    const auto put = [&](double aside) {
        for (const double t : along) {
            const Point p = curve.at(t);
            places.push_back({p.x + aside * right.x, p.y + aside * right.y});
        }
    };
    if (on_line) put(0);
    put(right_first ? off : -off);
    put(right_first ? -off : off);
    return places;
}

/// Whether a text would hide most of a line.
bool would_hide(const Curve& curve, double width) {
    const double length = std::max(curve.length(), 1e-9);
    const double flat = std::abs(curve.end.x - curve.begin.x) / length;
    return flat * width + (1 - flat) * label_size > 0.6 * length;
}

}  // namespace

std::string_view fill_of(Has has) {
    switch (has) {
        case Has::nothing: return colour::nothing;
        case Has::some: return colour::some;
        case Has::all: return colour::all;
        case Has::gave: return colour::gave;
    }
    return colour::nothing;
}

MachineDrawing::MachineDrawing(const Story& story, double node_label_width, double message_label_width, bool both_ways)
    : story_(story) {
    const Topology& topology = story.wires();
    const Layout layout = layout_of(topology);
    radius_ = std::max(11.0, text_width(fmt::to_string(topology.nodes() - 1), number_size) / 2 + 5);
    const double wanted = std::max({52.0, node_label_width + 8, message_label_width + 2 * radius_ - 6, 3.2 * radius_});
    const double beside = both_ways ? message_label_width : 0;  // on each side of a link
    unit_ = std::min(wanted + beside / 2, 150.0);
    if (topology.nodes() > 128) unit_ = std::max(2.6 * radius_, 34.0);
    const double side = std::max({radius_, node_label_width / 2, beside}) + 14;
    const double above = radius_ + 20;
    const double below = radius_ + (node_label_width > 0 ? 24 : 14);
    for (const Point& p : layout.at) at_.push_back({side + unit_ * p.x, above + unit_ * p.y});
    corner_ = {2 * side + unit_ * layout.corner.x, above + below + unit_ * layout.corner.y};
    const NodesInTheWay in_the_way(layout.at, (radius_ + 2) / unit_);
    for_each_link(topology, [&](NodeId v, NodeId w) {
        links_.emplace_back(v, w);
        if (in_the_way.between(v, w)) bowed_.emplace(v, w);
    });
}

Curve MachineDrawing::link_between(NodeId v, NodeId w) const {
    Curve curve = Curve::straight(at_[v], at_[w]);
    if (!bowed_.contains(std::minmax(v, w))) return curve;
    const Point& a = at_[std::min(v, w)];
    const Point& b = at_[std::max(v, w)];
    const double length = distance(a, b);
    const double off = 2 * (radius_ + 0.16 * unit_) + 0.05 * length;
    curve.control.x += (b.y - a.y) / length * off;
    curve.control.y -= (b.x - a.x) / length * off;
    return curve;
}

void MachineDrawing::put_message(Svg& svg, const Drawn& message, bool both_ways, FreePlaces& places) const {
    const std::string_view stroke = message.broken           ? colour::broken
                                    : message.stroke.empty() ? colour::message
                                                             : message.stroke;
    const std::string head = message.broken           ? fmt::format("{} stroke-dasharray=\"5 3\"", head_of_broken)
                             : message.stroke.empty() ? std::string(head_of_message)
                                                      : svg.head(message.stroke);
    const std::string& more = head;
    const double thick = message.broken ? 2.4 : message.thick;
    Curve label_at;
    if (message.route.size() <= 1) {
        Curve curve = link_between(message.from, message.to);
        if (both_ways) curve = curve.moved_aside(4);
        label_at = curve.trimmed(radius_ + 1, radius_ + 2);
        svg.curve(label_at, stroke, thick, more);
    } else {  // next to the nodes on its path
        std::vector<Point> points{at_[message.from]};
        NodeId v = message.from;
        for (std::size_t i = 0; i + 1 < message.route.size() && v != no_node; ++i) {
            v = story_.wires().across(v, message.route[i]).node;
            if (v != no_node) points.push_back(at_[v]);
        }
        points.push_back(at_[message.to]);
        const std::vector<Point> nodes = points;
        for (std::size_t i = 1; i + 1 < points.size(); ++i) {
            const Point& before = nodes[i - 1];
            const Point& after = nodes[i + 1];
            const double off = (radius_ + 5) / std::max(distance(before, after), 1e-9);
            points[i].x += (after.y - before.y) * off;
            points[i].y -= (after.x - before.x) * off;
        }
        points.front() = Curve::straight(points[0], points[1]).trimmed(radius_ + 1, 0).begin;
        points.back() = Curve::straight(points[points.size() - 2], points.back()).trimmed(0, radius_ + 2).end;
        svg.polyline(points, stroke, thick, more);
        const std::size_t middle = (points.size() - 1) / 2;
        label_at = Curve::straight(points[middle], points[middle + 1]);
    }
    std::string label = message.label;
    if (message.broken) label += (label.empty() ? "" : " ") + std::string(title_of(*message.broken));
    if (label.empty()) return;
    const double wide = text_width(label, label_size);
    const Point middle =
        places.place(beside(label_at, wide, !message.broken && !both_ways && !would_hide(label_at, wide), both_ways),
                     wide + 2, label_size + 1);
    svg.text(middle.x, middle.y + label_size * 0.36, label,
             {label_size, message.broken ? colour::broken : colour::ink, "middle", message.broken.has_value(), true});
}

/// Switches are small squares: they hold nothing.
void MachineDrawing::put_switch(Svg& svg, NodeId v, const DrawnNode& node, const Point& label) const {
    const std::string number = fmt::to_string(v);
    const double side = std::max(1.5 * radius_, text_width(number, label_size) + 6);
    svg.box(Box::around(at_[v], side, side), node.shade ? node.shade->fill : colour::gave, 2,
            node.broken ? colour::broken : colour::faint);
    svg.text(at_[v].x, at_[v].y + label_size * 0.36, number,
             {label_size, node.shade ? node.shade->ink : colour::faint, "middle"});
    put_label(svg, node, label);
}

void MachineDrawing::put_node(Svg& svg, NodeId v, const DrawnNode& node, const Point& label) const {
    if (story_.is_switch(v)) return put_switch(svg, v, node, label);
    const std::string_view stroke = node.broken ? colour::broken : node.receives ? colour::message : colour::faint;
    svg.circle(at_[v], radius_, node.shade ? node.shade->fill : fill_of(node.has), stroke,
               node.broken || node.receives ? 2.6 : 1.2, node.says);
    svg.text(at_[v].x, at_[v].y + number_size * 0.36, fmt::to_string(v),
             {number_size,
              node.shade             ? node.shade->ink
              : node.has == Has::all ? colour::paper
                                     : colour::ink,
              "middle"});
    put_label(svg, node, label);
}

void MachineDrawing::put_label(Svg& svg, const DrawnNode& node, const Point& label) const {
    if (!node.label.empty())
        svg.text(label.x, label.y + label_size * 0.36, node.label, {label_size, colour::faint, "middle", false, true});
}

/// Below the node, or at another side where fewer messages pass, within the panel.
std::vector<Point> MachineDrawing::places_of_labels(const std::vector<DrawnNode>& nodes,
                                                    const std::vector<Drawn>& messages) const {
    std::vector<std::vector<Point>> passing(at_.size());  // points of the messages from and to a node
    for (const Drawn& message : messages) {
        const Curve way = link_between(message.from, message.to);
        for (int i = 0; i <= 20; ++i)
            for (const NodeId v : {message.from, message.to}) passing[v].push_back(way.at(i / 20.0));
    }
    std::vector<Point> places(at_.size());
    for (NodeId v = 0; v < at_.size(); ++v) {
        const double wide = text_width(nodes[v].label, label_size) + 4;
        const double below = radius_ + label_size * 0.65 + 1;
        const double beside = wide / 2 + radius_ * 0.3;
        std::ptrdiff_t fewest = -1;
        for (const Point& off : {Point{0, below}, Point{0, -below}, Point{beside, below}, Point{-beside, below}}) {
            const Box box = Box::around({at_[v].x + off.x, at_[v].y + off.y}, wide, label_size + 4);
            const std::ptrdiff_t hidden = std::ranges::count_if(passing[v], [&](const Point& p) {
                return p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom;
            });
            if (fewest >= 0 && (hidden >= fewest || box.left < 0 || box.right > width())) continue;
            fewest = hidden;
            places[v] = {at_[v].x + off.x, at_[v].y + off.y};
        }
    }
    return places;
}

/// Trunks are thick.
double MachineDrawing::thickness(NodeId v, NodeId w) const {
    constexpr double thick = 1.3;
    const Topology& wires = story_.wires();
    return thick * static_cast<double>(std::min<std::uint64_t>(wires.capacity(v, wires.port_to(v, w)), 6));
}

void MachineDrawing::put(Svg& svg, const std::vector<DrawnNode>& of_hosts, const std::vector<Drawn>& messages) const {
    std::vector<DrawnNode> nodes = of_hosts;
    nodes.resize(at_.size());
    for (const Violation& violation : story_.verdict.violations)
        if (story_.is_switch(violation.node) && violation.node < nodes.size()) nodes[violation.node].broken = true;
    for (const auto& [v, w] : links_) svg.curve(link_between(v, w), colour::link, thickness(v, w));
    FreePlaces places;
    constexpr double far = 1e6;  // texts must not leave the panel
    for (const Box& outside : {Box{-far, -far, 0, far}, Box{width(), -far, far, far}, Box{0, -far, width(), 0},
                               Box{0, height(), width(), far}})
        places.take(outside);
    for (const Point& node : at_) places.take(Box::around(node, 2 * radius_ + 2, 2 * radius_ + 2));
    const std::vector<Point> label_places = places_of_labels(nodes, messages);
    for (NodeId v = 0; v < at_.size(); ++v)
        if (!nodes[v].label.empty())
            places.take(Box::around(label_places[v], text_width(nodes[v].label, label_size) + 2, label_size + 2));
    std::set<std::pair<NodeId, NodeId>> directions;
    for (const Drawn& message : messages) directions.emplace(message.from, message.to);
    for (const Drawn& message : messages) {
        svg.begin_group("message", message.says);
        put_message(svg, message, directions.contains({message.to, message.from}), places);
        svg.end_group();
    }
    for (NodeId v = 0; v < at_.size(); ++v) put_node(svg, v, nodes[v], label_places[v]);
}

double MachineDrawing::put_legend(Svg& svg, const Story& story, double x, double y, bool any_broken) {
    constexpr double size = 11;
    const auto node = [&](std::string_view fill, std::string_view stroke, double width, const std::string& says) {
        svg.circle({x + 7, y - 4}, 6, fill, stroke, width);
        svg.text(x + 18, y, says, {size, colour::ink, "start"});
        x += 18 + text_width(says, size) + 18;
    };
    const auto arrow = [&](std::string_view stroke, std::string_view more, const std::string& says) {
        svg.line({x, y - 4}, {x + 24, y - 4}, stroke, 2, more);
        svg.text(x + 30, y, says, {size, colour::ink, "start"});
        x += 30 + text_width(says, size) + 18;
    };
    for (const Meaning& meaning : meanings_of(story)) node(fill_of(meaning.has), colour::faint, 1.2, meaning.says);
    node(colour::nothing, colour::message, 2.6, "receives");
    arrow(colour::message, head_of_message, "message");
    if (any_broken) arrow(colour::broken, fmt::format("{} stroke-dasharray=\"5 3\"", head_of_broken), "breaks a rule");
    return x;
}

}  // namespace kport
