#include "app/grade/grading.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kport::grade {

namespace {

/// What a hand-in has for each machine: texts of files.
std::vector<Made> texts_in(const Exercise& exercise, const HandIn& hand_in, Kind kind) {
    std::vector<Made> made;
    for (const ExerciseMachine& machine : exercise.machines) {
        FileText read = text_for(hand_in, kind, machine);
        made.push_back({std::move(read.text), std::move(read.refusal)});
    }
    return made;
}

std::vector<Made> nothing_but(const Exercise& exercise, const std::string& why) {
    return std::vector<Made>(exercise.machines.size(), {.text = {}, .refusal = why});
}

/// "a schedule (.json, .txt, .csv) or a C++ program (.cpp)".
std::string wanted_by(const Exercise& exercise) {
    std::vector<std::string> kinds;
    for (const KindRow& kind : kind_rows) {
        if (!exercise.takes.contains(kind.kind)) continue;
        std::vector<std::string_view> endings(kind.endings.begin(), kind.endings.end());
        std::erase(endings, "");
        kinds.push_back(fmt::format("{} ({})", kind.one, fmt::join(endings, ", ")));
    }
    return fmt::format("{}", fmt::join(kinds, " or "));
}

std::vector<Made> made_by(const Exercise& exercise, const HandIn& hand_in, Workshop* workshop) {
    const std::optional<Kind> kind = hand_in.kind(exercise);
    if (!kind) return nothing_but(exercise, fmt::format("no hand-in; want {}", wanted_by(exercise)));
    if (!exercise.takes.contains(*kind))
        return nothing_but(exercise,
                           fmt::format("the exercise takes no {}; want {}", row(*kind).many, wanted_by(exercise)));
    if (!row(*kind).runs) return texts_in(exercise, hand_in, *kind);
    if (workshop == nullptr) return nothing_but(exercise, fmt::format("{} do not run here", row(*kind).many));
    return workshop->made_by(hand_in, exercise);
}

Grade grade_of(const Exercise& exercise, const HandIn& hand_in, const GradingOptions& options) {
    const std::vector<Made> made = made_by(exercise, hand_in, options.workshop);
    Grade grade{.name = hand_in.name, .marks = {}, .points = {}};
    for (std::size_t m = 0; m < made.size(); ++m) {
        const ExerciseMachine& machine = exercise.machines[m];
        grade.marks.push_back(made[m].refusal.empty() ? mark_of(exercise, machine, made[m].text, hand_in.name)
                                                      : without_points(exercise, machine, made[m].refusal));
    }
    grade.points = points_over(exercise, grade.marks);
    if (!options.pictures) return grade;
    const std::size_t drawn = pictured(exercise, grade.marks);
    if (drawn < made.size()) grade.picture = picture_of(exercise, exercise.machines[drawn], made[drawn].text);
    return grade;
}

}  // namespace

double Grade::total() const { return std::accumulate(points.begin(), points.end(), 0.0); }

std::vector<double> points_over(const Exercise& exercise, const std::vector<Mark>& marks) {
    std::vector<double> points(exercise.criteria.size());
    for (std::size_t c = 0; c < points.size(); ++c) {
        double least = exercise.criteria[c].points;
        double sum = 0;
        double weights = 0;
        for (std::size_t m = 0; m < marks.size(); ++m) {
            const double of_machine = marks[m].points[c];
            least = std::min(least, of_machine);
            sum += of_machine * exercise.machines[m].weight;
            weights += exercise.machines[m].weight;
        }
        points[c] = exercise.each_machine == EachMachine::worst ? least : sum / weights;
    }
    return points;
}

std::string first_failure(const Exercise& exercise, const std::vector<Mark>& marks) {
    const auto fails = [](const Mark& mark) { return !mark.failure.empty(); };
    const auto unlawful = [&](const Mark& mark) { return fails(mark) && !mark.lawful; };
    auto first = std::ranges::find_if(marks, unlawful);
    if (first == marks.end()) first = std::ranges::find_if(marks, fails);
    if (first == marks.end()) return {};
    const ExerciseMachine& machine = exercise.machines[static_cast<std::size_t>(first - marks.begin())];
    return fmt::format("{}: {}", machine.hidden ? "a hidden machine" : machine.label, first->failure);
}

bool is_full(const Exercise& exercise, const Grade& grade) {
    constexpr double rounding = 1e-9;
    return grade.total() >= exercise.points() * (1 - rounding);
}

std::vector<Grade> graded(const Exercise& exercise, const std::vector<HandIn>& hand_ins,
                          const GradingOptions& options) {
    std::vector<std::optional<Grade>> all(hand_ins.size());
    std::atomic<std::size_t> done = 0;
    const auto grade = [&](std::size_t i) {
        const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
        if (stopped()) return;
        Grade one = grade_of(exercise, hand_ins[i], options);
        if (stopped()) return;  // its program may have been ended by the same signal
        all[i] = std::move(one);
        if (options.graded) options.graded(++done);
    };
    share_out(hand_ins.size(), options.threads, grade);
    std::vector<Grade> grades;
    for (std::optional<Grade>& one : all) {
        if (!one) break;
        grades.push_back(*std::move(one));
    }
    return grades;
}

void share_out(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::mutex failing;
    std::exception_ptr failure;
    const auto take_turns = [&] {
        try {
            for (std::size_t i = next++; i < n; i = next++) work(i);
        } catch (...) {
            const std::scoped_lock lock(failing);
            failure = std::current_exception();
            next = n;
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min<std::size_t>(threads, n); ++i) others.emplace_back(take_turns);
        take_turns();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace kport::grade
