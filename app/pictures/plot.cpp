#include "app/pictures/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/pictures/crossings.hpp"
#include "app/pictures/plot_axes.hpp"
#include "app/pictures/svg.hpp"

namespace kport::plots {

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
constexpr double letter_width = 7.2;  // of the letters used; upper bound of the average
constexpr double title_letter_width = 8.6;
constexpr double margin = 20;

constexpr std::size_t crossings_named = 16;  // in the legend; further ones are marked only
constexpr std::string_view crossings_heading = "crossings: lower before / lower after";

constexpr std::array<std::string_view, 8> colours = {"#1b6ca8", "#c8501e", "#2f8f4e", "#8e44ad",
                                                     "#b8860b", "#c2185b", "#00838f", "#5d4037"};

constexpr std::string_view grey = "#555";

/// Marks for as many series as there are colours; further series get other marks.
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

/// Indices of series that share something, ascending.
using Sharers = std::vector<std::size_t>;

/// Splits a line "A B C " into its segments "A B " and "B C ".
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
    explicit Picture(const Plot& plot) : plot_(plot), axes_(plot), names_(names()), notes_(notes()) {
        if (plot.marks_crossings) crossings_ = crossings_of(plot);
    }

    [[nodiscard]] std::string text() {
        draw_frame();
        draw_series();
        draw_crossings();
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
    [[nodiscard]] double px(double x) const { return left + axes_.x().at(x) * field_width; }
    [[nodiscard]] double py(double y) const { return top + (1 - axes_.y().at(y)) * field_height; }
    [[nodiscard]] bool is_over_words() const { return plot_.axis == PlotAxis::words; }
    /// Returns the x of a point of the series: over words the series stand side by side.
    [[nodiscard]] double px_of(std::size_t series, const PlotPoint& point) const {
        constexpr double share = 0.7;  // of the space of a word
        if (!is_over_words()) return px(point.x);
        const double lane = (static_cast<double>(series) + 0.5) / static_cast<double>(plot_.series.size());
        return px(point.x + share * (lane - 0.5));
    }

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
        for (const Tick& tick : axes_.ticks_along()) {
            line(px(tick.value), top, px(tick.value), bottom, "stroke=\"#ddd\"");
            words(px(tick.value), bottom + 18, "middle", tick.label);
        }
        for (const Tick& tick : axes_.ticks_up()) {
            line(left, py(tick.value), left + field_width, py(tick.value), "stroke=\"#ddd\"");
            words(left - 8, py(tick.value) + 4, "end", tick.label);
        }
        body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                             left, top, field_width, field_height);
        words(left + field_width / 2, bottom + 42, "middle", plot_.along);
        const double middle = top + field_height / 2;
        words(18, middle, "middle", plot_.up, fmt::format(" transform=\"rotate(-90 18 {})\"", middle));
    }

    /// Returns a line through all points that have a value.
    [[nodiscard]] std::string line_of(const PlotSeries& series,
                                      const std::function<std::optional<double>(const PlotPoint&)>& value) const {
        std::string points;
        for (const PlotPoint& point : series.points)
            if (const std::optional<double> y = value(point); y && axes_.y().takes(*y))
                points += fmt::format("{:.1f},{:.1f} ", px(point.x), py(*y));
        return points;
    }
    void draw_line(const std::string& points, std::string_view style) {
        if (!points.empty()) body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points, style);
    }
    [[nodiscard]] std::string fit_of(const PlotSeries& series) const {
        return line_of(series, [](const PlotPoint& point) { return std::optional(point.fitted); });
    }
    /// Returns the segments of the lines, and the series that have each.
    [[nodiscard]] std::map<std::string, Sharers> pieces() const {
        std::map<std::string, Sharers> shared;
        for (std::size_t i = 0; i < plot_.series.size(); ++i)
            for (const std::string& piece : pieces_of(fit_of(plot_.series[i]))) {
                Sharers& sharers = shared[piece];
                if (sharers.empty() || sharers.back() != i) sharers.push_back(i);
            }
        return shared;
    }
    /// Series that share a segment alternate along it, so that none hides another.
    void draw_fits() {
        if (is_over_words()) return;
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
    /// Dots at one place are rings around the last.
    void draw_dots() {
        const std::vector<PlotSeries>& all = plot_.series;
        std::map<std::string, std::size_t> to_come;
        const auto place = [&](std::size_t i, const PlotPoint& point) {
            return fmt::format("{:.1f},{:.1f}", px_of(i, point), py(point.measured));
        };
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const PlotPoint& point : all[i].points) ++to_come[place(i, point)];
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const PlotPoint& point : all[i].points) {
                if (has_interval(point))
                    line(px_of(i, point), py(point.low), px_of(i, point), py(point.high), stroke(colour(i)));
                draw_mark(px_of(i, point), py(point.measured), mark(i), colour(i), --to_come[place(i, point)]);
            }
    }

    /// Returns the middle of a crossing's mark: where the drawn lines meet.
    [[nodiscard]] Point place_of_mark(const Crossing& crossing) const {
        const double x = px(crossing.after);
        const double before = py(crossing.of_before[0]);
        const double after = py(crossing.of_after[0]);
        if (crossing.coincide) return {x, before};
        const double gap = std::abs(before - after);
        const double gap_then = std::abs(py(crossing.of_before[1]) - py(crossing.of_after[1]));
        const double share = gap / (gap + gap_then);
        return {x + share * (px(crossing.until) - x), before + share * (py(crossing.of_before[1]) - before)};
    }
    /// A ring and a number for each place where curves cross; beyond the first ones without a number.
    void draw_crossings() {
        constexpr double radius = 8;
        constexpr double number_size = 11;
        FreePlaces places;
        const std::vector<PlotSeries>& all = plot_.series;
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const PlotPoint& point : all[i].points)
                places.take(Box::around({px_of(i, point), py(point.measured)}, 10, 10));
        std::map<std::string, std::size_t> numbers;  // by the place of the mark
        for (const Crossing& crossing : crossings_) {
            const Point at = place_of_mark(crossing);
            const auto [known, is_new] = numbers.emplace(fmt::format("{:.1f},{:.1f}", at.x, at.y), numbers.size() + 1);
            const std::string says = fmt::format("{} / {}: {}", all[crossing.lower_before].name,
                                                 all[crossing.lower_after].name, place_of(plot_, crossing));
            const bool is_named = crossing_lines_.size() < crossings_named;
            if (is_named) crossing_lines_.push_back(fmt::format("{}  {}", known->second, says));
            if (!is_new) continue;
            body_ += fmt::format("<g class=\"crossing\"><title>{}</title>", escaped(says));
            body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"none\" stroke=\"#222\"/>", at.x,
                                 at.y, radius);
            places.take(Box::around(at, 2 * radius, 2 * radius));
            body_ += "</g>\n";
            if (!is_named) continue;
            std::vector<Point> around;
            constexpr double off = radius + 7;
            for (const Point& way : {Point{0.7, -0.7}, Point{-0.7, -0.7}, Point{0, -1}, Point{1, 0}, Point{0.7, 0.7},
                                     Point{-0.7, 0.7}, Point{0, 1}, Point{-1, 0}})
                around.push_back({at.x + off * way.x, at.y + off * way.y});
            const Point middle = places.place(around, 14, 12);
            words(
                middle.x, middle.y + 4, "middle", fmt::to_string(known->second),
                fmt::format(
                    " font-size=\"{}\" font-weight=\"bold\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"",
                    number_size));
        }
        if (crossings_.size() > crossing_lines_.size())
            crossing_lines_.push_back(fmt::format("and {} more", crossings_.size() - crossing_lines_.size()));
    }
    /// Returns the common bound of all series over all samples, if they agree wherever they have samples in common.
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
    /// Draws a dash for a single sample, and for each word: as broad as the word's place, or where the bound is that of
    /// one series as broad as its lane.
    void draw_bound(const PlotSeries& series, std::string_view of, std::optional<std::size_t> lane = {}) {
        constexpr double dash = 14;
        const double place = 0.9 * (px(1) - px(0)) / (lane ? static_cast<double>(plot_.series.size()) : 1) / 2;
        if (series.points.size() == 1 || is_over_words()) {
            for (const PlotPoint& point : series.points) {
                if (!point.bound || !axes_.y().takes(*point.bound)) continue;
                const double half = is_over_words() ? place : dash;
                const double x = lane ? px_of(*lane, point) : px(point.x);
                line(x - half, py(*point.bound), x + half, py(*point.bound), bound_style(of));
            }
        } else
            draw_line(line_of(series, [](const PlotPoint& point) { return point.bound; }), bound_style(of));
    }
    /// Bounds are drawn over the lines, and points over both.
    void draw_series() {
        const std::vector<PlotSeries>& all = plot_.series;
        draw_fits();
        if (const auto common = common_bound(); common && all.size() > 1)
            draw_bound(*common, grey);
        else
            for (std::size_t i = 0; i < all.size(); ++i) draw_bound(all[i], colour(i), i);
        draw_dots();
    }

    /// Returns the name of each series, and the first series that coincides with it.
    [[nodiscard]] std::vector<std::string> names() const {
        std::map<std::string, std::string_view> first;  // by drawn line
        std::vector<std::string> names;
        for (const PlotSeries& series : plot_.series) {
            const std::string drawn =
                fit_of(series) + line_of(series, [](const PlotPoint& point) { return std::optional(point.measured); });
            const auto [at, is_new] = first.emplace(drawn, series.name);
            names.push_back(is_new ? series.name : fmt::format("{} (as {})", series.name, at->second));
            if (series.points.size() == 1 && has_lines()) names.back() += " (one sample)";
        }
        return names;
    }

    /// Whether there are too few samples for a line.
    [[nodiscard]] bool has_one_sample() const {
        return std::ranges::all_of(plot_.series, [](const PlotSeries& series) { return series.points.size() == 1; });
    }
    [[nodiscard]] bool has_lines() const { return !has_one_sample() && !is_over_words(); }
    /// Returns notes on why the plot may show less than expected.
    [[nodiscard]] std::vector<std::string> notes() const {
        std::vector<std::string> notes = plot_.notes;
        if (has_one_sample() && !is_over_words()) notes.emplace_back("one sample: there is no line");
        if (std::ranges::any_of(plot_.series, [&](const PlotSeries& series) {
                return std::ranges::any_of(series.points,
                                           [&](const PlotPoint& point) { return is_below_bound(point); });
            }))
            notes.emplace_back("run below its bound");
        const auto is_nothing = [](const PlotPoint& point) { return point.measured == 0; };
        if (std::ranges::all_of(
                plot_.series, [&](const PlotSeries& series) { return std::ranges::all_of(series.points, is_nothing); }))
            notes.emplace_back("all values are 0");
        return notes;
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
        if (has_lines()) {
            line(x, y - 1, x + 24, y - 1, fit_style(grey));
            words(x + legend_sample, y + 3, "start", plot_.lines);
            y += legend_line;
        }
        line(x, y - 1, x + 24, y - 1, bound_style(grey));
        words(x + legend_sample, y + 3, "start", plot_.bounds);
        y += 1.5 * legend_line;
        for (std::size_t i = 0; i < plot_.series.size(); ++i, y += legend_line) {
            if (plot_.series.size() > colours.size()) {
                if (has_lines()) line(x, y - 1, x + 24, y - 1, fit_style(colour(i)));
                draw_mark(x + 12, y - 1, mark(i), colour(i));
            } else {
                body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"24\" height=\"8\" fill=\"{}\"/>\n", x,
                                     y - 5, colour(i));
            }
            words(x + legend_sample, y + 3, "start", names_[i]);
        }
        if (!notes_.empty()) y += legend_line / 2;
        for (const std::string& note : notes_) {
            words(x, y + 3, "start", note);
            y += legend_line;
        }
        if (!crossing_lines_.empty()) {
            y += legend_line / 2;
            words(x, y + 3, "start", crossings_heading);
            y += legend_line;
        }
        for (const std::string& crossing : crossing_lines_) {
            words(x, y + 3, "start", crossing);
            y += legend_line;
        }
        legend_bottom_ = y;
    }

    [[nodiscard]] double letters_of_legend() const {
        std::size_t longest = 0;
        for (const std::string_view text :
             std::initializer_list<std::string_view>{plot_.points, plot_.lines, plot_.bounds})
            longest = std::max(longest, text.size());
        if (!crossing_lines_.empty()) longest = std::max(longest, crossings_heading.size());
        for (const std::vector<std::string>& texts : {names_, notes_, crossing_lines_})
            for (const std::string& text : texts) longest = std::max(longest, text.size());
        return letter_width * static_cast<double>(longest);
    }

    static bool has_interval(const PlotPoint& point) { return point.low < point.high; }
    /// Whether what was counted, not measured in seconds, is below its bound by more than rounding.
    [[nodiscard]] bool is_below_bound(const PlotPoint& point) const {
        constexpr double rounding = 1e-9;
        return !plot_.seconds && point.bound && point.measured < *point.bound * (1 - rounding);
    }
    /// `more`: the number of marks that will be drawn on it.
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
    /// Broad and pale, so that dots of a bound that is met are visible on it.
    static std::string fit_style(std::string_view of) {
        return fmt::format("stroke=\"{}\" stroke-width=\"5\" stroke-opacity=\"0.35\"", of);
    }
    /// Returns dashes with gaps for those of the other series.
    static std::string turns(const Sharers& sharers, std::size_t series) {
        constexpr std::ptrdiff_t dash = 10;
        if (sharers.size() == 1) return "";
        const std::ptrdiff_t turn = std::ranges::find(sharers, series) - sharers.begin();
        return fmt::format(" stroke-dasharray=\"{} {}\" stroke-dashoffset=\"{}\"", dash,
                           dash * (std::ssize(sharers) - 1), -dash * turn);
    }
    static std::string bound_style(std::string_view of) { return stroke(of) + " stroke-dasharray=\"2 4\""; }

    const Plot& plot_;
    Axes axes_;
    std::vector<std::string> names_;  ///< for the legend
    std::vector<std::string> notes_;  ///< below it
    std::vector<Crossing> crossings_;
    std::vector<std::string> crossing_lines_;  ///< below the notes
    std::string body_;
    double legend_bottom_ = 0;
};

}  // namespace

std::string svg_of(const Plot& plot) { return Picture(plot).text(); }

}  // namespace kport::plots
