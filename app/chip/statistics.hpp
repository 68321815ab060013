/// @file statistics.hpp   The median of samples and its confidence interval.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kport::chip {

/// What an interval is to have.
inline constexpr double coverage_wanted = 0.95;

/// Of at least one sample, in the unit of the samples.
struct Statistics {
    std::size_t count = 0;
    double least = 0;
    double median = 0;    ///< the mean of the two in the middle where the count is even
    double low = 0;       ///< from here ...
    double high = 0;      ///< ... to here lies the median of the distribution ...
    double coverage = 0;  ///< ... with this probability: as wanted from 6 samples on, less where there are fewer

    /// Whether `low` and `high` may be called an interval of 95 %.
    [[nodiscard]] bool has_interval() const { return coverage >= coverage_wanted; }
};

/// The interval is that of order statistics: it assumes independent samples of one distribution and nothing else, in
/// particular no normal distribution. Measured times have a minimum and a long tail.
///
/// Source   H. A. David, H. N. Nagaraja: Order Statistics, 3rd edition, Wiley 2003, section 7.1.
/// Errors   aborts when there are no samples.
[[nodiscard]] Statistics statistics_of(std::vector<double> samples);

/// The number of samples below the interval, equal to that above it, and the probability that it holds the median:
/// the number of samples below the median is binomial with p = 1/2. The narrowest interval that has 0.95, or the widest.
[[nodiscard]] std::pair<std::size_t, double> left_out_of_interval(std::size_t count);

}  // namespace kport::chip
