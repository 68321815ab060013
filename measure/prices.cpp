/// @file prices.cpp   What is done with a calibration once it is there: the prices and their names.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/calibration.hpp"

namespace kport::measure {

std::vector<double> model_counts(double rounds, double volume, double path_sum) {
    std::vector<double> counts(priced_count);
    counts[startup] = rounds;
    counts[byte] = volume;
    counts[hop] = path_sum;
    return counts;
}

std::vector<double> model_counts(const Metrics& metrics) {
    return model_counts(static_cast<double>(metrics.rounds), static_cast<double>(metrics.volume),
                        static_cast<double>(metrics.path_sum));
}

std::string CalibrationKey::text() const {
    return fmt::format("{} by {}, {}, {} thread{}", operation, algorithm, engine, threads, threads == 1 ? "" : "s");
}

double Prices::predict(const std::vector<double>& counts) const {
    double ns = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (of[i]) ns += counts[i] * of[i]->value;
    return ns / ns_a_second;
}

std::optional<Priced> Prices::beyond(const std::vector<double>& counts) const {
    constexpr double rounding = 1e-6;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (of[i]) continue;
        double made = 0;
        for (std::size_t k = 0; k < counts.size(); ++k) made += made_of[i][k] * counts[k];
        if (std::abs(made - counts[i]) > rounding * std::max(std::abs(counts[i]), 1.0)) return static_cast<Priced>(i);
    }
    return std::nullopt;
}

}  // namespace kport::measure
