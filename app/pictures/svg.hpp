/// @file svg.hpp   Lines, circles and texts as SVG; free places for texts.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/pictures/layout.hpp"

namespace kport {

/// Colours that most people can distinguish, including red-green colour-blind people (Okabe, Ito 2008), and their
/// meanings.
namespace colour {
inline constexpr std::string_view ink = "#1c2733";
inline constexpr std::string_view faint = "#5b6773";
inline constexpr std::string_view link = "#8a939c";
inline constexpr std::string_view paper = "#ffffff";
inline constexpr std::string_view nothing = "#ffffff";
inline constexpr std::string_view some = "#a9d3f0";
inline constexpr std::string_view all = "#0072b2";
inline constexpr std::string_view gave = "#e3e6e9";
inline constexpr std::string_view message = "#b35c00";
inline constexpr std::string_view broken = "#c8002d";
}  // namespace colour

struct Box {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;

    [[nodiscard]] static Box around(const Point& middle, double width, double height) {
        return {middle.x - width / 2, middle.y - height / 2, middle.x + width / 2, middle.y + height / 2};
    }
    [[nodiscard]] double overlap(const Box& other) const;
    /// Returns the length of a straight line inside it.
    [[nodiscard]] double length_within(const Point& a, const Point& b) const;
};

/// A quadratic curve; straight if the control point is between the ends.
struct Curve {
    Point begin;
    Point control;
    Point end;

    [[nodiscard]] static Curve straight(const Point& a, const Point& b) {
        return {a, {(a.x + b.x) / 2, (a.y + b.y) / 2}, b};
    }
    [[nodiscard]] Point at(double t) const;
    /// Returns the part from t to u.
    [[nodiscard]] Curve part(double t, double u) const;
    /// Returns the curve without what is closer to its ends than given.
    [[nodiscard]] Curve trimmed(double at_begin, double at_end) const;
    [[nodiscard]] Curve turned() const { return {end, control, begin}; }
    /// Moves it to the right, in its direction.
    [[nodiscard]] Curve moved_aside(double by) const;
    [[nodiscard]] double length() const { return distance(begin, control) + distance(control, end); }
};

struct TextStyle {
    double size = 12;
    std::string_view fill = colour::ink;
    std::string_view anchor = "middle";
    bool bold = false;
    bool on_paper = false;  ///< covers the lines behind it
};

/// An SVG drawing under construction.
class Svg {
  public:
    /// Draws a text with its base line at y.
    void text(double x, double y, std::string_view says, const TextStyle& style);
    void line(const Point& a, const Point& b, std::string_view stroke, double width, std::string_view more = "");
    void curve(const Curve& curve, std::string_view stroke, double width, std::string_view more = "");
    void polyline(const std::vector<Point>& points, std::string_view stroke, double width, std::string_view more = "");
    /// `says` is the tooltip.
    void circle(const Point& centre, double radius, std::string_view fill, std::string_view stroke, double stroke_width,
                std::string_view says = "");
    void box(const Box& box, std::string_view fill, double round = 0, std::string_view stroke = "none",
             double thick = 1);
    /// Returns the attribute that gives a line an arrow head of this colour, "#rrggbb".
    [[nodiscard]] std::string head(std::string_view fill);
    /// Adds a style sheet.
    void style(std::string_view css);
    /// Begins a named group, for programs and screen readers; with attributes such as data-round.
    void begin_group(std::string_view name, std::string_view says = "", std::string_view more = "");
    void end_group();
    /// Moves the following elements by so much.
    void begin_at(double x, double y);

    /// Returns the whole file.
    [[nodiscard]] std::string file(double width, double height, std::string_view title, std::string_view about) const;

  private:
    std::string body_;
    std::set<std::string, std::less<>> heads_;  ///< colours of arrow heads other than of messages
};

/// Arrow heads of the two kinds of messages.
inline constexpr std::string_view head_of_message = " marker-end=\"url(#message)\"";
inline constexpr std::string_view head_of_broken = " marker-end=\"url(#broken)\"";

/// Of a group: boxes side by side touch, without a line of the background between them.
inline constexpr std::string_view without_gaps = " shape-rendering=\"crispEdges\"";

/// Finds places for texts next to existing elements.
class FreePlaces {
  public:
    void take(const Box& box) { taken_.push_back(box); }
    /// Returns how much of the existing elements a text in this box would cover.
    [[nodiscard]] double covered_by(const Box& box) const;
    /// Returns the place of the list, best first, where a text of this size covers least, and takes it.
    [[nodiscard]] Point place(const std::vector<Point>& middles, double width, double height);

  private:
    std::vector<Box> taken_;
};

/// Cuts a text at spaces into lines of at most so many pixels.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text, double size, double width);

}  // namespace kport
