/// @file machine_drawing.hpp   A machine as SVG: its nodes, its links, messages on them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/pictures/scale.hpp"
#include "app/pictures/story.hpp"
#include "app/pictures/svg.hpp"

namespace kport {

/// A message to draw: its path, a text at it, and the rule that it breaks.
struct Drawn {
    NodeId from = no_node;
    NodeId to = no_node;
    std::vector<Port> route;
    std::string label;
    std::string says;  ///< tooltip
    std::optional<Rule> broken;
    std::string_view stroke = {};  ///< its colour; empty: that of messages
    double thick = 2;
};

/// A node to draw.
struct DrawnNode {
    Has has = Has::nothing;
    std::string label;  ///< below it
    std::string says;
    bool receives = false;
    bool broken = false;
    std::optional<Shade> shade = {};  ///< instead of the colour of what it has
};

/// Draws a machine several times in the same way.
class MachineDrawing {
  public:
    /// Texts below nodes and at messages are at most so many pixels wide. `both_ways`: messages pass each other on a
    /// link.
    MachineDrawing(const Story& story, double node_label_width, double message_label_width, bool both_ways);

    [[nodiscard]] double width() const { return corner_.x; }
    [[nodiscard]] double height() const { return corner_.y; }
    /// Draws from (0, 0) to (width(), height()). Switches need no DrawnNode.
    void put(Svg& svg, const std::vector<DrawnNode>& of_hosts, const std::vector<Drawn>& messages) const;

    /// Draws samples with their meanings, in one line at (x, y). Returns its end.
    static double put_legend(Svg& svg, const Story& story, double x, double y, bool any_broken);

  private:
    [[nodiscard]] Curve link_between(NodeId v, NodeId w) const;
    void put_message(Svg& svg, const Drawn& message, bool both_ways, FreePlaces& places) const;
    void put_node(Svg& svg, NodeId v, const DrawnNode& node, const Point& label) const;
    void put_switch(Svg& svg, NodeId v, const DrawnNode& node, const Point& label) const;
    void put_label(Svg& svg, const DrawnNode& node, const Point& label) const;
    [[nodiscard]] double thickness(NodeId v, NodeId w) const;
    [[nodiscard]] std::vector<Point> places_of_labels(const std::vector<DrawnNode>& nodes,
                                                      const std::vector<Drawn>& messages) const;

    const Story& story_;
    std::vector<Point> at_;
    double unit_ = 0;
    double radius_ = 0;
    Point corner_;
    std::vector<std::pair<NodeId, NodeId>> links_;
    std::set<std::pair<NodeId, NodeId>> bowed_;  ///< links that would cross another node
};

inline constexpr double label_size = 10.5;
[[nodiscard]] std::string_view fill_of(Has has);

}  // namespace kport
