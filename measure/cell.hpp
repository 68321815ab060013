/// @file cell.hpp   One cell of a bench: the task and its yardsticks, measured in turns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chip/statistics.hpp"
#include "emulator/audit/metrics.hpp"
#include "measure/contender.hpp"
#include "measure/task.hpp"

namespace kport::measure {

/// What one contender took, in seconds.
struct Result {
    Timing timing;
    chip::Statistics seconds;
};

struct Cell {
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
[[nodiscard]] std::optional<Cell> measured(const Task& task, const Metrics& metrics, const Turns& turns);

/// The memory that measuring a task takes beside its runs: for the yardsticks and, of a replay, for what is moved.
[[nodiscard]] double besides_bytes(const Task& task);

}  // namespace kport::measure
