/// @file sampling.hpp   Sampling: repetitions by the clock's resolution, samples by the time limit, their median with its interval.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
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

using Clock = std::chrono::steady_clock;

/// Thrown between two samples when Limits::stop is set.
class Stopped : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "the measurement was stopped"; }
};

struct Limits {
    std::chrono::nanoseconds time = std::chrono::milliseconds(60);  ///< approximate time for one figure
    const std::atomic<bool>* stop = nullptr;                        ///< read between samples; null: no stop
};

/// The request of one sample.
struct Batch {
    std::uint64_t repetitions = 1;
    Clock::time_point deadline;  ///< two threads, one of them without a core, may end earlier

    [[nodiscard]] bool late() const { return Clock::now() > deadline; }
};

/// The result: at least one repetition.
struct Took {
    double ns = 0;
    std::uint64_t repetitions = 1;
};

/// Measures the time of one repetition, in ns. `take(batch)` makes the repetitions and times them, without its own
/// set-up. Their number grows until they take 0.2 ms, which also warms up caches and clocks and is discarded; then
/// follow samples, at least 6, however long they take, and at most 1000. They are short because busy systems take cores
/// away for milliseconds: most samples, and the median, are then undisturbed.
///
/// Errors   Stopped, and exceptions of take.
[[nodiscard]] Statistics sample(const Limits& limits, const std::function<Took(const Batch&)>& take);

/// Returns the time of work() in ns.
template <class Work>
[[nodiscard]] double timed(Work&& work) {
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Makes the compiler assume a reader of the memory behind the pointer, so that it is written each time.
inline void looked_at(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

}  // namespace kport::chip
