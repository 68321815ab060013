#include "measure/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kport::measure {

namespace {

// All lengths are in pixels.
constexpr double left = 84;
constexpr double top = 48;
constexpr double field_width = 560;
constexpr double field_height = 400;
constexpr double below = 60;
constexpr double legend_gap = 28;
constexpr double legend_line = 20;
constexpr double legend_sample = 34;
constexpr double letter_width = 7.2;  // of the letters below, at most on average
constexpr double title_letter_width = 8.6;
constexpr double margin = 20;

constexpr std::array<std::string_view, 8> colours = {"#1b6ca8", "#c8501e", "#2f8f4e", "#8e44ad",
                                                     "#b8860b", "#c2185b", "#00838f", "#5d4037"};

constexpr std::string_view grey = "#555";

/// Of as many series as there are colours; the next ones have another.
enum class Mark : std::uint8_t { circle, square, diamond, triangle };
Mark mark(std::size_t series) { return static_cast<Mark>(series / colours.size() % 4); }

std::string_view colour(std::size_t series) { return colours.at(series % colours.size()); }

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '&')
            out += "&amp;";
        else
            out += c;
    }
    return out;
}

/// A value on an axis and where it is.
struct Tick {
    double value;
    std::string label;
};

/// The values of an axis, from its low end to its high end.
struct Scale {
    bool linear = false;  ///< else it is logarithmic
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    [[nodiscard]] bool takes(double value) const { return value > 0 || (linear && value == 0); }
    void include(double value) {
        if (!takes(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    /// Some room on both sides.
    void widen(double factor) {
        if (linear) {
            constexpr double room = 0.04;
            const double length = high > low ? high - low : 1;
            low -= room * length;
            high += room * length;
        } else {
            low /= factor;
            high *= factor;
        }
    }
    /// 0 at the low end, 1 at the high end.
    [[nodiscard]] double at(double value) const {
        return linear ? (value - low) / (high - low) : std::log(value / low) / std::log(high / low);
    }
    [[nodiscard]] bool holds(double value) const { return value >= low && value <= high; }
};

std::string time_label(double seconds) {
    if (seconds == 0) return "0";
    constexpr std::array<std::pair<double, std::string_view>, 4> units = {
        {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
    for (const auto& [unit, name] : units)
        if (seconds >= unit * (1 - 1e-9)) return fmt::format("{:.3g} {}", seconds / unit, name);
    return fmt::format("{:.3g} ns", seconds / 1e-9);
}

/// Powers of two, no more than fit beside each other.
std::vector<Tick> ticks_of_powers(const Scale& scale, PlotAxis axis) {
    constexpr int ticks_max = 8;
    const int first = static_cast<int>(std::ceil(std::log2(scale.low)));
    const int last = static_cast<int>(std::floor(std::log2(scale.high)));
    const int step = std::max(1, (last - first + ticks_max) / ticks_max);
    std::vector<Tick> ticks;
    for (int power = first; power <= last; power += step) {
        const double value = std::exp2(power);
        ticks.push_back({value, axis == PlotAxis::bytes ? size_label(value) : fmt::format("{:.0f}", value)});
    }
    return ticks;
}

/// 1, 10, 100 ...; with 2 and 5 between them where that are few.
std::vector<Tick> ticks_of_tens(const Scale& scale, bool seconds) {
    const bool few = scale.high / scale.low < 200;
    std::vector<Tick> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(scale.low))); power <= std::log10(scale.high); ++power)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10, power);
            if (scale.holds(value) && (few || factor == 1.0))
                ticks.push_back({value, seconds ? time_label(value) : fmt::format("{:.4g}", value)});
        }
    return ticks;
}

/// At 1, 2 or 5 times a power of ten, as many as fit beside each other; of whole numbers whole ones alone.
std::vector<double> even_steps(const Scale& scale, bool whole) {
    constexpr double ticks_max = 8;
    double step = whole ? 1 : std::pow(10, std::floor(std::log10((scale.high - scale.low) / ticks_max)));
    for (int i = 0; (scale.high - scale.low) / step > ticks_max; ++i) step *= i % 3 == 1 ? 2.5 : 2;
    std::vector<double> values;
    for (double i = std::max(0.0, std::ceil(scale.low / step)); i * step <= scale.high; ++i) values.push_back(i * step);
    return values;
}

/// The series that have something in common, ascending.
using Sharers = std::vector<std::size_t>;

/// Of a line "A B C " its pieces "A B " and "B C ".
std::vector<std::string> pieces_of(const std::string& line) {
    std::vector<std::string> pieces;
    for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t next = line.find(' ', begin) + 1;
        if (next < line.size()) pieces.push_back(line.substr(begin, line.find(' ', next) + 1 - begin));
        begin = next;
    }
    return pieces;
}

class Picture {
  public:
    explicit Picture(const Plot& plot) : plot_(plot) {
        choose_scales();
        for (const PlotSeries& series : plot.series)
            for (const PlotPoint& point : series.points) {
                x_.include(point.x);
                for (const double y : {point.measured, point.low, point.high, point.fitted, point.bound.value_or(0)})
                    y_.include(y);
            }
        if (y_.linear) y_.low = 0;
        x_.widen(1.3);
        y_.widen(1.5);
        names_ = names();
    }

    [[nodiscard]] std::string text() {
        draw_frame();
        draw_series();
        draw_legend();
        const double width = std::max(left + field_width + legend_gap + legend_sample + letters_of_legend(),
                                      left + title_letter_width * static_cast<double>(plot_.title.size())) +
                             margin;
        const double height = std::max(top + field_height + below, legend_bottom_ + margin);
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
            "{1:.0f}\"\n     font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
            width, height, body_);
    }

  private:
    /// Who reads prices off a linear axis wants to see that latency grows with them in straight lines.
    void choose_scales() {
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        for (const PlotSeries& series : plot_.series)
            for (const PlotPoint& point : series.points) {
                least = std::min(least, point.x);
                most = std::max(most, point.x);
                y_.linear |= point.measured == 0;
            }
        constexpr double decades = 100;
        x_.linear =
            least == 0 || plot_.axis == PlotAxis::node || (plot_.axis == PlotAxis::number && most / least < decades);
        y_.linear |= x_.linear;
    }

    [[nodiscard]] std::vector<Tick> ticks_along() const {
        if (!x_.linear)
            return plot_.axis == PlotAxis::number ? ticks_of_tens(x_, false) : ticks_of_powers(x_, plot_.axis);
        std::vector<Tick> ticks;
        for (const double value : even_steps(x_, plot_.axis != PlotAxis::number))
            ticks.push_back({value, plot_.axis == PlotAxis::bytes ? size_label(value) : fmt::format("{:.6g}", value)});
        return ticks;
    }
    [[nodiscard]] std::vector<Tick> ticks_up() const {
        if (!y_.linear) return ticks_of_tens(y_, plot_.seconds);
        std::vector<Tick> ticks;
        for (const double value : even_steps(y_, false))
            ticks.push_back({value, plot_.seconds ? time_label(value) : fmt::format("{:.6g}", value)});
        return ticks;
    }

    [[nodiscard]] double px(double x) const { return left + x_.at(x) * field_width; }
    [[nodiscard]] double py(double y) const { return top + (1 - y_.at(y)) * field_height; }

    void words(double x, double y, std::string_view anchor, std::string_view says, std::string_view more = "") {
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                             escaped(says));
    }
    void line(double x1, double y1, double x2, double y2, std::string_view style) {
        body_ +=
            fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
    }

    void draw_frame() {
        words(left, top - 20, "start", plot_.title, " font-size=\"14\" font-weight=\"bold\"");
        const double bottom = top + field_height;
        for (const Tick& tick : ticks_along()) {
            line(px(tick.value), top, px(tick.value), bottom, "stroke=\"#ddd\"");
            words(px(tick.value), bottom + 18, "middle", tick.label);
        }
        for (const Tick& tick : ticks_up()) {
            line(left, py(tick.value), left + field_width, py(tick.value), "stroke=\"#ddd\"");
            words(left - 8, py(tick.value) + 4, "end", tick.label);
        }
        body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                             left, top, field_width, field_height);
        words(left + field_width / 2, bottom + 42, "middle", plot_.along);
        const double middle = top + field_height / 2;
        words(18, middle, "middle", plot_.up, fmt::format(" transform=\"rotate(-90 18 {})\"", middle));
    }

    /// Through all points that have a value.
    [[nodiscard]] std::string line_of(const PlotSeries& series,
                                      const std::function<std::optional<double>(const PlotPoint&)>& value) const {
        std::string points;
        for (const PlotPoint& point : series.points)
            if (const std::optional<double> y = value(point); y && y_.takes(*y))
                points += fmt::format("{:.1f},{:.1f} ", px(point.x), py(*y));
        return points;
    }
    void draw_line(const std::string& points, std::string_view style) {
        if (!points.empty()) body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points, style);
    }
    [[nodiscard]] std::string fit_of(const PlotSeries& series) const {
        return line_of(series, [](const PlotPoint& point) { return std::optional(point.fitted); });
    }
    /// The pieces of the lines, from point to point, and the series that have them.
    [[nodiscard]] std::map<std::string, Sharers> pieces() const {
        std::map<std::string, Sharers> shared;
        for (std::size_t i = 0; i < plot_.series.size(); ++i)
            for (const std::string& piece : pieces_of(fit_of(plot_.series[i]))) {
                Sharers& sharers = shared[piece];
                if (sharers.empty() || sharers.back() != i) sharers.push_back(i);
            }
        return shared;
    }
    /// Those that have a piece of a line in common take turns along it, so that none hides another.
    void draw_fits() {
        const std::map<std::string, Sharers> shared = pieces();
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            const Sharers* sharers = nullptr;
            std::string points;
            const auto draw = [&] {
                if (sharers != nullptr) draw_line(points, fit_style(colour(i)) + turns(*sharers, i));
            };
            for (const std::string& piece : pieces_of(fit_of(plot_.series[i]))) {
                const Sharers& here = shared.at(piece);
                if (sharers != nullptr && *sharers == here) {
                    points += piece.substr(piece.find(' ') + 1);
                    continue;
                }
                draw();
                sharers = &here;
                points = piece;
            }
            draw();
        }
    }
    /// Those that stand on one place are rings around the last.
    void draw_dots() {
        const std::vector<PlotSeries>& all = plot_.series;
        std::map<std::string, std::size_t> to_come;
        const auto place = [&](const PlotPoint& point) {
            return fmt::format("{:.1f},{:.1f}", px(point.x), py(point.measured));
        };
        for (const PlotSeries& series : all)
            for (const PlotPoint& point : series.points) ++to_come[place(point)];
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const PlotPoint& point : all[i].points) {
                if (has_interval(point))
                    line(px(point.x), py(point.low), px(point.x), py(point.high), stroke(colour(i)));
                draw_mark(px(point.x), py(point.measured), mark(i), colour(i), --to_come[place(point)]);
            }
    }
    /// The bound of all series, over the samples of all, where they agree on it wherever they have samples in common.
    [[nodiscard]] std::optional<PlotSeries> common_bound() const {
        std::map<double, std::optional<double>> bounds;
        for (const PlotSeries& series : plot_.series) {
            const auto known = [&](const PlotPoint& point) { return bounds.contains(point.x); };
            if (!bounds.empty() && std::ranges::none_of(series.points, known)) return std::nullopt;
            for (const PlotPoint& point : series.points)
                if (bounds.emplace(point.x, point.bound).first->second != point.bound) return std::nullopt;
        }
        PlotSeries all;
        for (const auto& [x, bound] : bounds) all.points.push_back({x, 0, 0, 0, 0, bound});
        return all;
    }
    void draw_bound(const PlotSeries& series, std::string_view of) {
        draw_line(line_of(series, [](const PlotPoint& point) { return point.bound; }), bound_style(of));
    }
    /// Bounds lie on the lines, and points on both.
    void draw_series() {
        const std::vector<PlotSeries>& all = plot_.series;
        draw_fits();
        if (const auto common = common_bound(); common && all.size() > 1)
            draw_bound(*common, grey);
        else
            for (std::size_t i = 0; i < all.size(); ++i) draw_bound(all[i], colour(i));
        draw_dots();
    }

    /// Of each series its name, and the first that is drawn where it is.
    [[nodiscard]] std::vector<std::string> names() const {
        std::map<std::string, std::string_view> first;  // by what is drawn
        std::vector<std::string> names;
        for (const PlotSeries& series : plot_.series) {
            const std::string drawn =
                fit_of(series) + line_of(series, [](const PlotPoint& point) { return std::optional(point.measured); });
            const auto [at, is_new] = first.emplace(drawn, series.name);
            names.push_back(is_new ? series.name : fmt::format("{} (as {})", series.name, at->second));
        }
        return names;
    }

    void draw_legend() {
        const double x = left + field_width + legend_gap;
        double y = top + 10;
        if (std::ranges::any_of(plot_.series, [](const PlotSeries& series) {
                return std::ranges::any_of(series.points, has_interval);
            }))
            line(x + 12, y - 8, x + 12, y + 6, stroke(grey));
        draw_mark(x + 12, y - 1, Mark::circle, grey);
        words(x + legend_sample, y + 3, "start", plot_.points);
        y += legend_line;
        line(x, y - 1, x + 24, y - 1, fit_style(grey));
        words(x + legend_sample, y + 3, "start", plot_.lines);
        y += legend_line;
        line(x, y - 1, x + 24, y - 1, bound_style(grey));
        words(x + legend_sample, y + 3, "start", plot_.bounds);
        y += 1.5 * legend_line;
        for (std::size_t i = 0; i < plot_.series.size(); ++i, y += legend_line) {
            if (plot_.series.size() > colours.size()) {
                line(x, y - 1, x + 24, y - 1, fit_style(colour(i)));
                draw_mark(x + 12, y - 1, mark(i), colour(i));
            } else {
                body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"24\" height=\"8\" fill=\"{}\"/>\n", x,
                                     y - 5, colour(i));
            }
            words(x + legend_sample, y + 3, "start", names_[i]);
        }
        legend_bottom_ = y;
    }

    [[nodiscard]] double letters_of_legend() const {
        std::size_t longest = 0;
        for (const std::string_view text :
             std::initializer_list<std::string_view>{plot_.points, plot_.lines, plot_.bounds})
            longest = std::max(longest, text.size());
        for (const std::string& name : names_) longest = std::max(longest, name.size());
        return letter_width * static_cast<double>(longest);
    }

    static bool has_interval(const PlotPoint& point) { return point.low < point.high; }
    /// So many others are to be drawn on it.
    void draw_mark(double x, double y, Mark shape, std::string_view of, std::size_t more = 0) {
        const double radius = 3.5 + 1.5 * static_cast<double>(std::min<std::size_t>(more, 4));
        if (shape == Mark::circle) {
            body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x, y, radius, of);
            return;
        }
        std::string corners;
        const auto corner = [&](double along, double down) {
            corners += fmt::format("{:.1f},{:.1f} ", x + along * radius, y + down * radius);
        };
        if (shape == Mark::square)
            for (const auto& [along, down] : {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)})
                corner(along, down);
        else if (shape == Mark::diamond)
            for (const auto& [along, down] :
                 {std::pair(0., -1.4), std::pair(1.4, 0.), std::pair(0., 1.4), std::pair(-1.4, 0.)})
                corner(along, down);
        else
            for (const auto& [along, down] : {std::pair(0., -1.3), std::pair(1.3, 1.), std::pair(-1.3, 1.)})
                corner(along, down);
        body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", corners, of);
    }
    static std::string stroke(std::string_view of) { return fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", of); }
    /// Broad and pale, so that the dots of a bound that is met can be seen on it.
    static std::string fit_style(std::string_view of) {
        return fmt::format("stroke=\"{}\" stroke-width=\"5\" stroke-opacity=\"0.35\"", of);
    }
    /// Dashes with gaps for those of all others.
    static std::string turns(const Sharers& sharers, std::size_t series) {
        constexpr std::ptrdiff_t dash = 10;
        if (sharers.size() == 1) return "";
        const std::ptrdiff_t turn = std::ranges::find(sharers, series) - sharers.begin();
        return fmt::format(" stroke-dasharray=\"{} {}\" stroke-dashoffset=\"{}\"", dash,
                           dash * (std::ssize(sharers) - 1), -dash * turn);
    }
    static std::string bound_style(std::string_view of) { return stroke(of) + " stroke-dasharray=\"2 4\""; }

    const Plot& plot_;
    Scale x_;
    Scale y_;
    std::vector<std::string> names_;  ///< for the legend
    std::string body_;
    double legend_bottom_ = 0;
};

}  // namespace

std::string size_label(double value) {
    constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    return fmt::format("{:g} {}", value, units.at(unit));
}

std::string svg_of(const Plot& plot) { return Picture(plot).text(); }

}  // namespace kport::measure
