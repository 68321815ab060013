/// @file numbers.hpp   Hand-ins of numbers: a text of answers, compared with what kport counts and with its bounds.
#pragma once

#include <string>
#include <vector>

#include "app/grade/mark.hpp"

namespace kport::grade {

/// The right answers on a machine, one for each criterion. Runs the algorithms that criteria name. Throws RequestError where one does
/// not run there, DoesNotFit.
[[nodiscard]] std::vector<double> right_answers(const Exercise& exercise, const ExerciseMachine& machine);

/// A text with the right answers of this machine, as it is handed in.
[[nodiscard]] std::string text_of_answers(const Exercise& exercise, const ExerciseMachine& machine);

/// Marks a text with a line "KEY: NUMBER" for each criterion. Whole numbers must be equal, others within 0.1 %. Throws RequestError with
/// the line for what is no such text.
[[nodiscard]] Mark mark_of_answers(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text);

}  // namespace kport::grade
