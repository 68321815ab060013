/// @file exercise.hpp   An exercise: what is asked, on which machines, and what gives points.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/experiment.hpp"
#include "emulator/machine/quantity.hpp"
#include "emulator/report/report.hpp"

namespace kport::grade {

/// How much a criterion allows: a formula of an exercise, such as "2 * bound + 1". Sums and products of numbers and of figures of the
/// machine, with + - * and parentheses.
class Allowance {
  public:
    /// Throws RequestError, beginning with `place`, for what is no such formula, or names what is not among the figures.
    Allowance(std::string text, const std::string& place);

    /// `figure`: the value of a name (figures()).
    [[nodiscard]] double value(const std::function<double(std::string_view)>& figure) const;
    /// Whether the formula has this name.
    [[nodiscard]] bool names(std::string_view figure) const;
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// What gives points: a lawful schedule that delivers, a quantity within what is allowed, or a quantity that meets its lower bound. All
/// want a lawful schedule. In an exercise of numbers: a right answer, which is a formula's value or what an algorithm counts.
struct Criterion {
    std::string name;  ///< "lawful", "optimal", a quantity's key, or "answer"
    double points = 0;
    std::optional<Quantity> quantity = {};    ///< whose bound is asked for; nothing: lawful
    std::optional<Allowance> at_most = {};    ///< nothing, with a quantity: it must meet its bound
    std::optional<Allowance> zero_from = {};  ///< from here on no points; between at_most and this a share of them
    std::string key = {};                     ///< of an answer, in the hand-in
    std::optional<Allowance> value = {};      ///< the right answer, where nothing is counted
    std::optional<Quantity> counted = {};     ///< in a run of the algorithm
    std::string algorithm = {};
};

/// A machine of the exercise, with the operation on it.
struct ExerciseMachine {
    std::string on;  ///< its specification
    bool hidden = false;
    bool renumbered = false;  ///< its nodes have other numbers than in its family
    std::string graph = {};   ///< of a renumbered one, as a file of METIS; empty: others
    double weight = 1;        ///< of its points in the mean
    std::string label;        ///< in results: its specification, or "hidden machine 3"
    Experiment experiment = {};
    BoundLines bounds = {};
    std::vector<double> answers = {};  ///< of each criterion, in an exercise of numbers
};

/// What may be handed in.
enum class Kind : std::uint8_t { schedule, python, cpp, numbers };

/// A kind of hand-in, by the ending of its file.
struct KindRow {
    Kind kind;
    std::string_view name;                    ///< in exercises
    std::array<std::string_view, 3> endings;  ///< ".cpp"
    std::string_view one;                     ///< "a C++ program"
    std::string_view many;                    ///< "C++ programs"
    bool runs = true;                         ///< it is a program, which runs in a box
};

inline constexpr std::array kind_rows = {
    KindRow{Kind::schedule, "schedule", {".json", ".txt", ".csv"}, "a schedule", "schedules", false},
    KindRow{Kind::python, "python", {".py"}, "a Python program", "Python programs"},
    KindRow{Kind::cpp, "cpp", {".cpp"}, "a C++ program", "C++ programs"},
    KindRow{Kind::numbers, "numbers", {".txt"}, "a text of answers", "texts of answers", false},
};

[[nodiscard]] constexpr const KindRow& row(Kind kind) { return *std::ranges::find(kind_rows, kind, &KindRow::kind); }

/// Limits of a hand-in on a machine.
struct Limits {
    double seconds = 10;
    std::uint64_t memory = std::uint64_t{512} << 20;  ///< bytes
    std::uint64_t messages = 1'000'000;               ///< also of rounds
};

/// What the programs of nodes may ask: about the ports of their own node, or about the whole graph.
enum class Knows : std::uint8_t { own, graph };
enum class EachMachine : std::uint8_t { worst, mean };
enum class Feedback : std::uint8_t { none, points, first_failure, all };

struct Exercise {
    std::string title;
    std::string operation;
    bool any_source =
        false;  ///< a schedule may begin at any node; programs run from one that the machine's number draws
    std::vector<std::pair<std::string, std::string>> options;  ///< of the machine and the collective: "--ports", "1"
    std::vector<ExerciseMachine> machines;
    std::set<Kind> takes;
    Knows knows = Knows::graph;
    std::vector<Criterion> criteria;
    EachMachine each_machine = EachMachine::worst;
    Limits limits;
    Feedback feedback = Feedback::first_failure;

    [[nodiscard]] double points() const;
};

/// Reads an exercise strictly, draws its machines, and looks up their lower bounds. `name` is that of messages.
///
/// Errors   RequestError: "exercise 'x.json': machines[1].on: ...", with what would be right; also for a criterion that a machine has no
///          bound for, and a machine that the operation does not run on. DoesNotFit.
[[nodiscard]] Exercise read_exercise(const std::string& text, const std::string& name);

/// How much a criterion allows on a machine with these bounds.
[[nodiscard]] double allowed_on(const ExerciseMachine& machine, const BoundLines& bounds, Quantity quantity,
                                const Allowance& allowance);

/// A file of the sample, below its folder.
struct SampleFile {
    std::string_view name;  ///< "hand-ins/answer.txt"
    std::string_view text;
};

/// An exercise with an answer and an empty hand-in; the exercise comes first.
[[nodiscard]] std::span<const SampleFile> sample();

}  // namespace kport::grade
