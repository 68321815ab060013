#include "app/pictures/crossings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "emulator/report/words.hpp"

namespace kport::plots {

namespace {

/// Values by sample; nothing where a curve has two values at one.
using Samples = std::map<double, std::optional<double>>;

Samples samples_of(const PlotSeries& series) {
    Samples samples;
    for (const PlotPoint& point : series.points) {
        const auto [at, is_new] = samples.emplace(point.x, point.measured);
        if (!is_new && at->second != point.measured) at->second.reset();
    }
    return samples;
}

/// A sample of both curves.
struct Both {
    double x = 0;
    double one = 0;
    double other = 0;

    /// Returns -1 where the first curve is lower, 1 where it is higher, 0 where they are equal but for rounding.
    [[nodiscard]] int order() const {
        constexpr double rounding = 1e-9;
        if (std::abs(one - other) <= rounding * std::max(std::abs(one), std::abs(other))) return 0;
        return one < other ? -1 : 1;
    }
};

std::vector<Both> common_samples(const Samples& one, const Samples& other) {
    std::vector<Both> common;
    for (const auto& [x, value] : one)
        if (const auto found = other.find(x); value && found != other.end() && found->second)
            common.push_back({x, *value, *found->second});
    return common;
}

/// The crossing between two samples where the order differs, with nothing but equal values between them.
Crossing crossing_between(std::span<const Both> samples, std::size_t one, std::size_t other) {
    const bool has_equal = samples.size() > 2;
    const Both& first = has_equal ? samples[1] : samples.front();
    const Both& last = has_equal ? samples[samples.size() - 2] : samples.back();
    Crossing crossing{one, other, first.x, last.x, has_equal, {first.one, last.one}, {first.other, last.other}};
    if (samples.front().order() > 0) {
        std::swap(crossing.lower_before, crossing.lower_after);
        std::swap(crossing.of_before, crossing.of_after);
    }
    return crossing;
}

std::string text_of(const Plot& plot, double x) {
    if (plot.axis == PlotAxis::order) return plot.places.at(static_cast<std::size_t>(x));
    return grouped(x);
}

}  // namespace

std::vector<Crossing> crossings_of(const Plot& plot) {
    std::vector<Crossing> crossings;
    if (plot.axis == PlotAxis::words) return crossings;
    std::vector<Samples> curves;
    for (const PlotSeries& series : plot.series) curves.push_back(samples_of(series));
    const auto is_first_of_its_kind = [&](std::size_t i) {
        return std::ranges::find(curves, curves[i]) - curves.begin() == std::ptrdiff_t(i);
    };
    for (std::size_t i = 0; i < curves.size(); ++i)
        for (std::size_t j = i + 1; j < curves.size(); ++j) {
            if (!is_first_of_its_kind(i) || !is_first_of_its_kind(j)) continue;
            const std::vector<Both> samples = common_samples(curves[i], curves[j]);
            std::optional<std::size_t> differ;  // the last sample at which one is lower
            for (std::size_t at = 0; at < samples.size(); ++at) {
                if (samples[at].order() == 0) continue;
                if (differ && samples[*differ].order() != samples[at].order())
                    crossings.push_back(crossing_between(std::span(samples).subspan(*differ, at - *differ + 1), i, j));
                differ = at;
            }
        }
    std::ranges::stable_sort(crossings, {}, [](const Crossing& one) { return std::pair(one.after, one.until); });
    return crossings;
}

std::string place_of(const Plot& plot, const Crossing& crossing) {
    const std::string from = text_of(plot, crossing.after);
    if (crossing.after == crossing.until) return "at " + from;
    return fmt::format("{} {} {} {}", crossing.coincide ? "equal from" : "between", from,
                       crossing.coincide ? "to" : "and", text_of(plot, crossing.until));
}

}  // namespace kport::plots
