/// @file trying.hpp   Tries an exercise before it is set: who gets full points, and who should not.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "app/files/json_report.hpp"
#include "app/grade/grading.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::grade {

/// An exercise, tried.
struct Tried {
    std::vector<Grade> algorithms;     ///< those of the catalogue that run on every machine, graded as hand-ins
    std::vector<std::string> misfits;  ///< the others, each with a machine on which it does not run
    Grade empty;                       ///< a schedule without a message
    std::size_t omissions = 0;         ///< schedules of the best algorithm without one of their messages
    std::vector<std::string>
        redundant;        ///< those that keep full points on their machine: both judges find nothing amiss
    std::string answers;  ///< in an exercise of numbers: the right ones
    bool stopped = false;

    [[nodiscard]] bool solvable(const Exercise& exercise) const;
    /// Some algorithm gets full points, and the empty hand-in none.
    [[nodiscard]] bool sound(const Exercise& exercise) const;
};

/// Runs the catalogue's algorithms on the machines; in an exercise of numbers, grades kport's answers. At most 1,000 messages are left out, evenly spread.
[[nodiscard]] Tried tried(const Exercise& exercise, const GradingOptions& options);

[[nodiscard]] std::string text_of(const Exercise& exercise, const Tried& tried, const Paint& paint, std::size_t width);
[[nodiscard]] Json json_of(const Exercise& exercise, const Tried& tried);

}  // namespace kport::grade
