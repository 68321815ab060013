/// @file statistics.hpp   The median of samples and its confidence interval.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kport::chip {

/// Required coverage of an interval.
inline constexpr double coverage_wanted = 0.95;

/// Statistics of at least one sample, in its unit.
struct Statistics {
    std::size_t count = 0;
    double least = 0;
    double median = 0;    ///< the mean of the two middle samples if the count is even
    double low = 0;       ///< lower end, and
    double high = 0;      ///< upper end of an interval that contains the median of the distribution
    double coverage = 0;  ///< with this probability: as required from 6 samples on, less for fewer

    /// Whether `low` and `high` are an interval of 95 %.
    [[nodiscard]] bool has_interval() const { return coverage >= coverage_wanted; }
};

/// Computes an interval from order statistics: it assumes independent samples of one distribution and nothing else, in
/// particular no normal distribution. Measured times have a minimum and a long tail.
///
/// Source   H. A. David, H. N. Nagaraja: Order Statistics, 3rd edition, Wiley 2003, section 7.1.
/// Errors   aborts when there are no samples.
[[nodiscard]] Statistics statistics_of(std::vector<double> samples);

/// Returns the number of samples below the interval, equal to that above it, and the probability that it contains the
/// median: the number of samples below the median is binomial with p = 1/2. The narrowest interval with 0.95, or the
/// widest.
[[nodiscard]] std::pair<std::size_t, double> left_out_of_interval(std::size_t count);

}  // namespace kport::chip
