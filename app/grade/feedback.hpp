/// @file feedback.hpp   A page for each hand-in: points, the sentences that its exercise allows, and a picture of a failure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/grade/grading.hpp"

namespace kport::grade {

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
