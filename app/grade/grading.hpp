/// @file grading.hpp   Grades hand-ins on all machines of an exercise, tries an exercise before it is set, and tells the grades.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/files/json_report.hpp"
#include "app/grade/exercise.hpp"
#include "app/grade/hand_ins.hpp"
#include "app/grade/mark.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::grade {

/// What a program in a hand-in has made for a machine: the text of a schedule, or why there is none.
struct Made {
    std::string text;
    std::string refusal;  ///< empty: there is a text
};

/// Runs programs that were handed in. Nothing that it returns is trusted: it is judged as a file of a stranger is.
class Workshop {
  public:
    Workshop() = default;
    virtual ~Workshop() = default;
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    /// What the program makes, for each machine of the exercise in order. Any thread; never throws for what the program does.
    [[nodiscard]] virtual std::vector<Made> made_by(const HandIn& hand_in, const Exercise& exercise) = 0;
};

/// A hand-in and its points.
struct Grade {
    std::string name;
    std::vector<Mark> marks;     ///< on each machine
    std::vector<double> points;  ///< of each criterion: the least of all machines, or their weighted mean
    std::string picture = {};    ///< of the machine that pictured() names; only where pictures are asked for

    [[nodiscard]] double total() const;
};

struct GradingOptions {
    unsigned threads = 1;
    bool pictures = false;
    Workshop* workshop = nullptr;             ///< runs programs; null: they get no points
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: grading ends after the hand-ins that are being graded
    std::function<void(std::size_t)> graded = nullptr;  ///< how many are; any thread
};

/// Grades the hand-ins, in their order; fewer where it was stopped. The result does not depend on the number of threads.
[[nodiscard]] std::vector<Grade> graded(const Exercise& exercise, const std::vector<HandIn>& hand_ins,
                                        const GradingOptions& options);

/// The points of each criterion over all machines.
[[nodiscard]] std::vector<double> points_over(const Exercise& exercise, const std::vector<Mark>& marks);

/// The first failure: "mesh:3x5: 9 rounds, allowed 8 (bound 6)". Empty where there is none.
[[nodiscard]] std::string first_failure(const Exercise& exercise, const std::vector<Mark>& marks);

/// Whether the hand-in has all points.
[[nodiscard]] bool is_full(const Exercise& exercise, const Grade& grade);

/// Calls work(i) for i = 0 .. n - 1 on so many threads, in any order; returns when all are done. What one throws is thrown here, after
/// the threads have ended; then not all were called.
///
/// Threads of its own, since the engines limit those of oneTBB for all that runs at the same time.
void share_out(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work);

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
