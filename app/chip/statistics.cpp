#include "app/chip/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "emulator/base/error.hpp"

namespace kport::chip {

std::pair<std::size_t, double> left_out_of_interval(std::size_t count) {
    const auto n = static_cast<double>(count);
    // The interval from the r-th smallest to the r-th largest fails if fewer than r samples lie on one side of the median.
    double log_chance = -n * std::log(2.0);  // that r - 1 of them do; as a logarithm, since 2^-n soon is no double
    double outside = 2 * std::exp(log_chance);
    std::size_t left_out = 0;
    while (2 * (left_out + 1) < count) {
        const auto k = static_cast<double>(left_out);
        log_chance += std::log((n - k) / (k + 1));
        const double more = outside + 2 * std::exp(log_chance);
        if (1 - more < coverage_wanted) break;
        outside = more;
        ++left_out;
    }
    return {left_out, std::max(0.0, 1 - outside)};
}

Statistics statistics_of(std::vector<double> samples) {
    invariant(!samples.empty(), "statistics are of at least one sample");
    std::sort(samples.begin(), samples.end());
    const std::size_t n = samples.size();
    const auto [left_out, coverage] = left_out_of_interval(n);
    return {n,
            samples.front(),
            (samples[(n - 1) / 2] + samples[n / 2]) / 2,
            samples[left_out],
            samples[n - 1 - left_out],
            coverage};
}

}  // namespace kport::chip
