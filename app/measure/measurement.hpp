/// @file measurement.hpp   One cell of a bench: the task and its yardsticks, measured in turns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chip/sampling.hpp"
#include "app/measure/contender.hpp"
#include "emulator/machine/metrics.hpp"

namespace kport::measure {

/// The times of one contender, in seconds.
struct Result {
    Timing timing;               ///< over all processes
    chip::Statistics seconds;    ///< of the medians of the processes; of the repetitions if there was one process
    std::vector<double> starts;  ///< the median of each process that measured

    /// Adds the repetitions of one more process.
    void add_start(const std::vector<Lap>& laps);
    /// Returns the difference of the greatest and the least median of a process, as a share of the overall median.
    [[nodiscard]] double spread() const;
};

struct Measurement {
    std::string name;  ///< Task::name()
    unsigned threads = 1;
    Metrics metrics;              ///< of the audited run
    std::vector<Result> results;  ///< the task itself, memcpy, and the bare loop if there is one
    std::string why_not_pinned;   ///< empty: every thread stayed on its own core

    [[nodiscard]] const Result& task() const { return results.front(); }
    /// Returns the result of a contender; null if it did not take part.
    [[nodiscard]] const Result* yardstick(std::string_view contender) const;
    /// Returns the task's time for a message; nothing if there are no messages.
    [[nodiscard]] std::optional<double> ns_a_message() const;
    [[nodiscard]] double bytes_a_second(const Result& result) const;
};

/// Measures a task that was run and audited before, with the metrics of that run. Returns nothing if it was stopped
/// before the first repetition.
///
/// Memory   in addition to the task's, besides_bytes().
[[nodiscard]] std::optional<Measurement> measured(const Task& task, const Metrics& metrics, const Turns& turns);

/// Measures the task without yardsticks, with warm memory. Returns nothing if it was stopped before the first
/// repetition.
[[nodiscard]] std::optional<chip::Statistics> measured_alone(const Task& task, const Turns& turns);

/// Returns the additional memory for measuring a task: for the yardsticks and, in a replay, for the bytes moved.
[[nodiscard]] double besides_bytes(const Task& task);

}  // namespace kport::measure
