/// @file results.hpp   Grades as a table, as CSV, as JSON, in the form that Gradescope takes, and as a page for each hand-in.
#pragma once

#include <cstddef>
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

/// Which machine of a hand-in is drawn: the smallest that costs points, is not hidden, and has a schedule; the number of machines where
/// there is none.
[[nodiscard]] std::size_t pictured(const Exercise& exercise, const std::vector<Mark>& marks);

/// The schedule as an SVG picture, broken rules in red; empty where there is too much to draw, or no schedule.
[[nodiscard]] std::string picture_of(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text);

/// A page of HTML that names no other hand-in and no hidden machine, and loads nothing.
[[nodiscard]] std::string page_of(const Exercise& exercise, const Grade& grade);

/// Names of files for the pages of these hand-ins, all different: letters, digits, '.', '-' and '_' only.
[[nodiscard]] std::vector<std::string> page_names(const std::vector<Grade>& grades);

}  // namespace kport::grade
