#include "app/chip/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"

namespace kport::chip {

Statistics sample(const Limits& limits, const std::function<Took(const Batch&)>& take) {
    constexpr double long_enough = 200'000;  // ns
    constexpr std::chrono::milliseconds too_long(10);
    constexpr std::size_t fewest = 6;  // with fewer, no interval has 95 %
    constexpr std::size_t most = 1000;
    const auto checked = [&](std::uint64_t repetitions) {
        if (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) throw Stopped();
        return take({repetitions, Clock::now() + too_long});
    };
    // The minimum of three: a disturbed batch would make all later ones too short.
    const auto least_ns = [&](std::uint64_t repetitions) {
        return std::min({checked(repetitions).ns, checked(repetitions).ns, checked(repetitions).ns});
    };

    const Clock::time_point start = Clock::now();
    std::uint64_t repetitions = 1;
    for (double ns = 0; (ns = least_ns(repetitions)) < long_enough;) {
        repetitions *= ns < long_enough / 8 ? 8 : 2;
        invariant(repetitions < std::uint64_t{1} << 40, "what is timed takes time: the compiler has not left it out");
    }

    std::vector<double> samples;
    while (samples.size() < fewest || (samples.size() < most && Clock::now() - start < limits.time)) {
        const Took took = checked(repetitions);
        samples.push_back(took.ns / static_cast<double>(took.repetitions));
    }
    return statistics_of(std::move(samples));
}

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
