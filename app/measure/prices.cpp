/// @file prices.cpp   Lookup of calibrations: prices and their names. Apart from how they are found, which readers of files do without.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/measure/calibration.hpp"

namespace kport::measure {

std::string CalibrationKey::text() const {
    return fmt::format("{} by {}, {}, {} thread{}", operation, algorithm, engine, threads, threads == 1 ? "" : "s");
}

double Prices::predict(const std::vector<double>& counts) const {
    double ns = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (of[i]) ns += counts[i] * of[i]->value;
    return ns / ns_a_second;
}

std::optional<std::size_t> Prices::beyond(const std::vector<double>& counts) const {
    constexpr double rounding = 1e-6;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (of[i] || left_out[i]) continue;
        double made = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) made += made_of[i][k] * counts[k];
        if (std::abs(made - counts[i]) > rounding * std::max(std::abs(counts[i]), 1.0)) return i;
    }
    return std::nullopt;
}

double Prices::price(Count count) const {
    for (std::size_t i = 0; i < of.size(); ++i)
        if (model->counts[i] == count && of[i]) return std::max(of[i]->value, 0.0);
    return 0;
}

}  // namespace kport::measure
