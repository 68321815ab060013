#include "app/pictures/plot_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kport::plots {

namespace {

std::string time_label(double seconds) {
    if (seconds == 0) return "0";
    constexpr std::array<std::pair<double, std::string_view>, 4> units = {
        {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
    for (const auto& [unit, name] : units)
        if (seconds >= unit * (1 - 1e-9)) return fmt::format("{:.3g} {}", seconds / unit, name);
    return fmt::format("{:.3g} ns", seconds / 1e-9);
}

/// Returns powers of two, no more than fit.
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

/// Returns 1, 10, 100 ...; with 2 and 5 between them if these are few.
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

/// Returns multiples of 1, 2 or 5 times a power of ten, as many as fit; for integers only integers.
std::vector<double> even_steps(const Scale& scale, bool whole) {
    constexpr double ticks_max = 8;
    double step = whole ? 1 : std::pow(10, std::floor(std::log10((scale.high - scale.low) / ticks_max)));
    for (int i = 0; (scale.high - scale.low) / step > ticks_max; ++i) step *= i % 3 == 1 ? 2.5 : 2;
    std::vector<double> values;
    for (double i = std::max(0.0, std::ceil(scale.low / step)); i * step <= scale.high; ++i) values.push_back(i * step);
    return values;
}

}  // namespace

void Scale::include(double value) {
    if (!takes(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
}

void Scale::widen(double factor) {
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

double Scale::at(double value) const {
    return linear ? (value - low) / (high - low) : std::log(value / low) / std::log(high / low);
}

Axes::Axes(const Plot& plot) : plot_(plot) {
    choose_scales();
    for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points) {
            x_.include(point.x);
            for (const double y : {point.measured, point.low, point.high, point.fitted, point.bound.value_or(0)})
                y_.include(y);
        }
    if (y_.linear) y_.low = 0;
    if (y_.high == 0) y_.high = 1;  // curves of only 0 are at the bottom
    if (has_places()) {
        constexpr double half = 0.5;  // of the space of a place
        x_.low = -half;
        x_.high = static_cast<double>(plot.places.size()) - half;
    } else {
        x_.widen(1.3);
    }
    y_.widen(1.5);
}

/// On a linear axis of prices, latency is a straight line.
void Axes::choose_scales() {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    for (const PlotSeries& series : plot_.series)
        for (const PlotPoint& point : series.points) {
            lowest = std::min(lowest, point.measured);
            highest = std::max(highest, point.measured);
            least = std::min(least, point.x);
            most = std::max(most, point.x);
            y_.linear |= point.measured == 0;
        }
    constexpr double decades = 100;
    x_.linear = has_places() || least == 0 || plot_.axis == PlotAxis::node ||
                (plot_.axis == PlotAxis::number && most / least < decades);
    y_.linear |= has_places() ? highest / lowest < decades : x_.linear;
}

/// Returns labels of places, no more than fit side by side.
std::vector<Tick> Axes::ticks_of_places() const {
    constexpr std::size_t letters_max = 70;
    std::size_t longest = 1;
    for (const std::string& place : plot_.places) longest = std::max(longest, place.size());
    const std::size_t step = 1 + plot_.places.size() * (longest + 2) / letters_max;
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < plot_.places.size(); i += step)
        ticks.push_back({static_cast<double>(i), plot_.places[i]});
    return ticks;
}
std::vector<Tick> Axes::ticks_along() const {
    if (has_places()) return ticks_of_places();
    if (!x_.linear) return plot_.axis == PlotAxis::number ? ticks_of_tens(x_, false) : ticks_of_powers(x_, plot_.axis);
    std::vector<Tick> ticks;
    for (const double value : even_steps(x_, plot_.axis != PlotAxis::number))
        ticks.push_back({value, plot_.axis == PlotAxis::bytes ? size_label(value) : fmt::format("{:.6g}", value)});
    return ticks;
}
std::vector<Tick> Axes::ticks_up() const {
    if (!y_.linear) return ticks_of_tens(y_, plot_.seconds);
    std::vector<Tick> ticks;
    for (const double value : even_steps(y_, false))
        ticks.push_back({value, plot_.seconds ? time_label(value) : fmt::format("{:.6g}", value)});
    return ticks;
}

std::string size_label(double value) {
    constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    return fmt::format("{:g} {}", value, units.at(unit));
}

}  // namespace kport::plots
