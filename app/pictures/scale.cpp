#include "app/pictures/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

namespace kport {

namespace {

constexpr std::array shades{Shade{"#d07f1e", "#1c2733"}, Shade{"#b3501b", "#ffffff"}, Shade{"#7d2440", "#ffffff"},
                            Shade{"#33104a", "#ffffff"}};

/// Returns the first values of the second class and of those after it. Square roots are exact to the last bit everywhere.
std::array<double, shades.size() - 1> bounds_between(double a, double b) {
    constexpr double by_factors_from = 20;
    if (b <= by_factors_from * a) return {a + (b - a) / 4, a + (b - a) / 2, a + (b - a) * 3 / 4};
    const double middle = std::sqrt(a) * std::sqrt(b);
    return {std::sqrt(a) * std::sqrt(middle), middle, std::sqrt(middle) * std::sqrt(b)};
}

}  // namespace

ValueScale::ValueScale(std::vector<double> values) {
    std::ranges::sort(values);
    const auto [same, end] = std::ranges::unique(values);
    values.erase(same, end);
    if (!values.empty() && values.front() == 0) values.erase(values.begin());
    if (values.empty()) return;
    const auto put = [&](double value, std::size_t shade) {
        if (classes_.empty() || classes_.back().shade.fill != shades.at(shade).fill)
            classes_.push_back(
                {value, value, shades.at(shade), static_cast<double>(shade) / static_cast<double>(shades.size() - 1)});
        classes_.back().most = value;
    };
    if (values.size() <= shades.size()) {
        const std::size_t steps = values.size() == 2 ? 2 : 1;  // two values lie far apart
        for (std::size_t i = 0; i < values.size(); ++i) put(values[i], i * steps);
        return;
    }
    const auto bounds = bounds_between(values.front(), values.back());
    for (const double value : values)
        put(value, static_cast<std::size_t>(std::ranges::upper_bound(bounds, value) - bounds.begin()));
}

const ValueScale::Class& ValueScale::of(double value) const {
    const auto found = std::ranges::lower_bound(classes_, value, {}, &Class::most);
    invariant(found != classes_.end() && found->least <= value, "a value without a class");
    return *found;
}

std::string ValueScale::text_of(const Class& one) {
    if (one.least == one.most) return grouped(one.least);
    return fmt::format("{} to {}", grouped(one.least), grouped(one.most));
}

std::string ValueScale::text_of(const Class& one, std::string_view singular) {
    if (one.least == one.most) return grouped_count(static_cast<std::uint64_t>(one.least), singular);
    return fmt::format("{} to {}", grouped(one.least), grouped_count(static_cast<std::uint64_t>(one.most), singular));
}

}  // namespace kport
