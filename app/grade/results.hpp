/// @file results.hpp   Grades as a table, as CSV, as JSON, and in the form that Gradescope takes.
#pragma once

#include <string>
#include <vector>

#include "app/files/json_report.hpp"
#include "app/grade/grading.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::grade {

/// A line for each hand-in: points of each criterion, their sum, the first failure.
[[nodiscard]] std::string table_of(const Exercise& exercise, const std::vector<Grade>& grades, const Paint& paint,
                                   std::size_t width);

/// A line for each hand-in and machine.
[[nodiscard]] std::string csv_of(const Exercise& exercise, const std::vector<Grade>& grades);

[[nodiscard]] Json json_of(const Exercise& exercise, const std::vector<Grade>& grades);

/// Gradescope's results.json for one hand-in: a test for each machine, with as much as the exercise lets a student know.
[[nodiscard]] Json gradescope_of(const Exercise& exercise, const Grade& grade);

}  // namespace kport::grade
