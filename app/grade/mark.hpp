/// @file mark.hpp   A schedule, judged on a machine of an exercise: its points, and what is wrong with it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/grade/exercise.hpp"
#include "app/pictures/story.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::grade {

/// Longer schedules get no points.
inline constexpr std::size_t schedule_bytes_most = std::size_t{16} << 20;

/// A hand-in on a machine.
struct Mark {
    bool lawful = false;         ///< all rules kept and everything delivered, in the opinion of both judges
    std::vector<double> points;  ///< of each criterion
    std::optional<PerQuantity<double>> measured = {};  ///< nothing where nothing was judged
    std::string failure = {};                          ///< a sentence about what cost points first; empty: nothing did
    std::string dispute = {};                          ///< how the two judges differ: an error of kport
};

/// What a report says of a quantity.
[[nodiscard]] double measured_value(const Report& report, Quantity quantity);

/// No points, for a reason. Where the machine is hidden, its specification is left out of the sentence.
[[nodiscard]] Mark without_points(const Exercise& exercise, const ExerciseMachine& machine, std::string why);

/// Judges the text of a schedule as `kport check` does, and up to 64 nodes by the umpire, too; both must agree. The machine and the
/// operation are the exercise's, whatever the text says of them. A text that is no schedule gets no points, and never throws.
///
/// In an exercise of numbers, marks a text of answers (mark_of_answers()).
///
/// Takes   the project's own formats: JSON, text, CSV
/// Callers any thread
[[nodiscard]] Mark mark_of(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text,
                           const std::string& name);

/// The schedule in a text that mark_of() has judged, with its verdict, to be drawn. Throws RequestError, DoesNotFit.
[[nodiscard]] Story story_in(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text);

/// The text of a schedule of this collective on this machine, as JSON.
[[nodiscard]] std::string text_of(const Schedule& schedule, const ExerciseMachine& machine,
                                  const Collective& collective);

/// A number of points: at most two decimals.
[[nodiscard]] std::string points_text(double points);

/// The right answers on a machine, one for each criterion. Runs the algorithms that criteria name. Throws RequestError where one does
/// not run there, DoesNotFit.
[[nodiscard]] std::vector<double> right_answers(const Exercise& exercise, const ExerciseMachine& machine);

/// A text with the right answers of this machine, as it is handed in.
[[nodiscard]] std::string text_of_answers(const Exercise& exercise, const ExerciseMachine& machine);

/// Marks a text with a line "KEY: NUMBER" for each criterion. Whole numbers must be equal, others within 0.1 %. Throws RequestError with
/// the line for what is no such text.
[[nodiscard]] Mark mark_of_answers(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text);

}  // namespace kport::grade
