#include "app/pictures/svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"

namespace kport {
namespace {

Point between(const Point& a, const Point& b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

}  // namespace

double Box::overlap(const Box& other) const {
    const double width = std::min(right, other.right) - std::max(left, other.left);
    const double height = std::min(bottom, other.bottom) - std::max(top, other.top);
    return width > 0 && height > 0 ? width * height : 0;
}

double Box::length_within(const Point& a, const Point& b) const {
    double from = 0;  // the part of the line between two parallel sides, then between the others
    double to = 1;
    const auto keep_between = [&](double at, double by, double low, double high) {
        if (by == 0) {
            if (at < low || at > high) to = 0;
            return;
        }
        const auto [first, last] = std::minmax({(low - at) / by, (high - at) / by});
        from = std::max(from, first);
        to = std::min(to, last);
    };
    keep_between(a.x, b.x - a.x, left, right);
    keep_between(a.y, b.y - a.y, top, bottom);
    return std::max(0.0, to - from) * distance(a, b);
}

Point Curve::at(double t) const { return between(between(begin, control, t), between(control, end, t), t); }

Curve Curve::part(double t, double u) const {
    const Curve rest{at(t), between(control, end, t), end};
    const double v = t < 1 ? (u - t) / (1 - t) : 1;
    return {rest.begin, between(rest.begin, rest.control, v), rest.at(v)};
}

Curve Curve::trimmed(double at_begin, double at_end) const {
    constexpr int steps = 200;
    int first = 0;
    int last = steps;
    while (first < steps && distance(at(static_cast<double>(first) / steps), begin) < at_begin) ++first;
    while (last > first && distance(at(static_cast<double>(last) / steps), end) < at_end) --last;
    return last > first ? part(static_cast<double>(first) / steps, static_cast<double>(last) / steps) : *this;
}

Curve Curve::moved_aside(double by) const {
    const double whole = std::max(distance(begin, end), 1e-9);
    const Point side{-(end.y - begin.y) / whole * by, (end.x - begin.x) / whole * by};
    const auto moved = [&](const Point& p) { return Point{p.x + side.x, p.y + side.y}; };
    return {moved(begin), moved(control), moved(end)};
}

void Svg::text(double x, double y, std::string_view says, const TextStyle& style) {
    if (style.on_paper)
        body_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" fill=\"#fff\" "
            "fill-opacity=\"0.88\"/>\n",
            x - text_width(says, style.size) / 2 - 1, y - style.size * 0.86, text_width(says, style.size) + 2,
            style.size * 1.12);
    body_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
        style.size, style.fill, style.anchor, style.bold ? " font-weight=\"bold\"" : "", escaped(says));
}

void Svg::line(const Point& a, const Point& b, std::string_view stroke, double width, std::string_view more) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n", a.x,
        a.y, b.x, b.y, stroke, width, more);
}

void Svg::curve(const Curve& curve, std::string_view stroke, double width, std::string_view more) {
    const Point middle = between(curve.begin, curve.end, 0.5);
    if (distance(middle, curve.control) < 0.05) {
        line(curve.begin, curve.end, stroke, width, more);
        return;
    }
    body_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"{:g}\"{}/>\n",
        curve.begin.x, curve.begin.y, curve.control.x, curve.control.y, curve.end.x, curve.end.y, stroke, width, more);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view stroke, double width, std::string_view more) {
    std::string path;
    for (const Point& p : points) path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", p.x, p.y);
    body_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-linejoin=\"round\"{}/>\n",
        path, stroke, width, more);
}

void Svg::circle(const Point& centre, double radius, std::string_view fill, std::string_view stroke,
                 double stroke_width, std::string_view says) {
    const std::string tip = says.empty() ? "/>" : fmt::format("><title>{}</title></circle>", escaped(says));
    body_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{:g}\"{}\n",
        centre.x, centre.y, radius, fill, stroke, stroke_width, tip);
}

std::string Svg::head(std::string_view fill) {
    heads_.emplace(fill);
    return fmt::format(" marker-end=\"url(#head-{})\"", fill.substr(1));
}

void Svg::box(const Box& box, std::string_view fill, double round, std::string_view stroke, double thick) {
    body_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:g}\" fill=\"{}\" "
        "stroke=\"{}\"{}/>\n",
        box.left, box.top, box.right - box.left, box.bottom - box.top, round, fill, stroke,
        thick == 1 ? "" : fmt::format(" stroke-width=\"{:g}\"", thick));
}

void Svg::begin_group(std::string_view name, std::string_view says, std::string_view more) {
    body_ += fmt::format("<g class=\"{}\"{}>", name, more);
    if (!says.empty()) body_ += fmt::format("<title>{}</title>", escaped(says));
    body_ += '\n';
}

void Svg::style(std::string_view css) { body_ += fmt::format("<style>{}</style>\n", css); }

void Svg::end_group() { body_ += "</g>\n"; }

void Svg::begin_at(double x, double y) { body_ += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n", x, y); }

std::string Svg::file(double width, double height, std::string_view title, std::string_view about) const {
    const auto head = [](std::string_view id, std::string_view fill) {
        return fmt::format(
            "<marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"8.5\" refY=\"5\" markerWidth=\"11\" markerHeight=\"11\" "
            "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1L10 5L0 9Z\" fill=\"{}\"/></marker>\n",
            id, fill);
    };
    std::string heads = head("message", colour::message) + head("broken", colour::broken);
    for (const std::string& fill : heads_) heads += head("head-" + fill.substr(1), fill);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "role=\"img\"\n     font-family=\"DejaVu Sans, Verdana, Helvetica, sans-serif\">\n"
        "<title>{2}</title>\n<desc>{3}</desc>\n<defs>\n{4}</defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{5}</svg>\n",
        width, height, escaped(title), escaped(about), heads, body_);
}

double FreePlaces::covered_by(const Box& box) const {
    double covered = 0;
    for (const Box& other : taken_) covered += box.overlap(other);
    return covered;
}

Point FreePlaces::place(const std::vector<Point>& middles, double width, double height) {
    double least = std::numeric_limits<double>::infinity();
    Point best;
    for (const Point& middle : middles) {
        const Box box = Box::around(middle, width, height);
        const double covered = covered_by(box);
        if (covered < least - 1e-9) {
            least = covered;
            best = middle;
        }
        if (covered <= 0) break;
    }
    take(Box::around(best, width, height));
    return best;
}

std::vector<std::string> lines_of(std::string_view text, double size, double width) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(space + 1, text.size()));
        if (!lines.empty() && text_width(lines.back() + " " + std::string(word), size) <= width)
            lines.back() += " " + std::string(word);
        else
            lines.emplace_back(word);
    }
    return lines;
}

}  // namespace kport
