#include "app/pictures/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

namespace kport {

namespace {

constexpr std::array shades{Shade{"#d07f1e", "#1c2733"}, Shade{"#b3501b", "#ffffff"}, Shade{"#7d2440", "#ffffff"},
                            Shade{"#33104a", "#ffffff"}};

/// Returns the first counts of the second class and of those after it. Square roots are exact to the last bit everywhere.
std::array<double, shades.size() - 1> bounds_between(std::uint64_t least, std::uint64_t most) {
    constexpr double by_factors_from = 20;
    const auto a = static_cast<double>(least);
    const auto b = static_cast<double>(most);
    if (b <= by_factors_from * a) return {a + (b - a) / 4, a + (b - a) / 2, a + (b - a) * 3 / 4};
    const double middle = std::sqrt(a) * std::sqrt(b);
    return {std::sqrt(a) * std::sqrt(middle), middle, std::sqrt(middle) * std::sqrt(b)};
}

}  // namespace

CountScale::CountScale(std::vector<std::uint64_t> counts) {
    std::ranges::sort(counts);
    const auto [same, end] = std::ranges::unique(counts);
    counts.erase(same, end);
    if (!counts.empty() && counts.front() == 0) counts.erase(counts.begin());
    if (counts.empty()) return;
    const auto put = [&](std::uint64_t count, std::size_t shade) {
        if (classes_.empty() || classes_.back().shade.fill != shades.at(shade).fill)
            classes_.push_back(
                {count, count, shades.at(shade), static_cast<double>(shade) / static_cast<double>(shades.size() - 1)});
        classes_.back().most = count;
    };
    if (counts.size() <= shades.size()) {
        const std::size_t steps = counts.size() == 2 ? 2 : 1;  // two counts lie far apart
        for (std::size_t i = 0; i < counts.size(); ++i) put(counts[i], i * steps);
        return;
    }
    const auto bounds = bounds_between(counts.front(), counts.back());
    for (const std::uint64_t count : counts)
        put(count,
            static_cast<std::size_t>(std::ranges::upper_bound(bounds, static_cast<double>(count)) - bounds.begin()));
}

const CountScale::Class& CountScale::of(std::uint64_t count) const {
    const auto found = std::ranges::lower_bound(classes_, count, {}, &Class::most);
    invariant(found != classes_.end() && found->least <= count, "a count without a class");
    return *found;
}

std::string CountScale::text_of(const Class& one, std::string_view singular) {
    if (one.least == one.most) return grouped_count(one.least, singular);
    return grouped_count(one.least) + " to " + grouped_count(one.most, singular);
}

}  // namespace kport
