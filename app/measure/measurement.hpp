/// @file measurement.hpp   One cell of a bench: the task and its yardsticks, measured in turns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chip/statistics.hpp"
#include "app/measure/contender.hpp"
#include "app/measure/task.hpp"
#include "emulator/machine/metrics.hpp"

namespace kport::measure {

/// What one contender took, in seconds.
struct Result {
    Timing timing;               ///< of all starts
    chip::Statistics seconds;    ///< of the medians of the starts; of the repetitions where there was one start
    std::vector<double> starts;  ///< the median of each process that measured

    /// The repetitions of one more process.
    void add_start(const std::vector<Lap>& laps);
    /// The greatest median of a start less the least, as a share of the median of all.
    [[nodiscard]] double spread() const;
};

struct Measurement {
    std::string name;  ///< Task::name()
    unsigned threads = 1;
    Metrics metrics;              ///< of the audited run
    std::vector<Result> results;  ///< the task itself, memcpy, and the bare loop if there is one
    std::string why_not_pinned;   ///< empty: every thread stayed on a core of its own

    [[nodiscard]] const Result& task() const { return results.front(); }
    /// Null where it did not take part.
    [[nodiscard]] const Result* yardstick(std::string_view contender) const;
    /// Of the task; nothing where there is nothing to divide by.
    [[nodiscard]] std::optional<double> ns_a_message() const;
    [[nodiscard]] double bytes_a_second(const Result& result) const;
};

/// Measures a task that was run and audited before: `metrics` are that run's. Nothing if it was stopped
/// before the first repetition.
///
/// Memory   beside what the task takes, besides_bytes().
[[nodiscard]] std::optional<Measurement> measured(const Task& task, const Metrics& metrics, const Turns& turns);

/// The task alone, without yardsticks, its memory warm. Nothing if it was stopped before the first repetition.
[[nodiscard]] std::optional<chip::Statistics> measured_alone(const Task& task, const Turns& turns);

/// The memory that measuring a task takes beside its runs: for the yardsticks and, of a replay, for what is moved.
[[nodiscard]] double besides_bytes(const Task& task);

}  // namespace kport::measure
