#include "app/grade/grading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "app/grade/share_out.hpp"

namespace kport::grade {

namespace {

namespace fs = std::filesystem;

std::vector<Mark> refused_everywhere(const Exercise& exercise, const std::string& why) {
    std::vector<Mark> marks;
    for (const ExerciseMachine& machine : exercise.machines) marks.push_back(without_points(exercise, machine, why));
    return marks;
}

std::vector<Mark> marks_of_schedules(const Exercise& exercise, const HandIn& hand_in) {
    std::vector<Mark> marks;
    for (const ExerciseMachine& machine : exercise.machines) {
        const FileText read = schedule_of(hand_in, machine);
        marks.push_back(read.refusal.empty() ? mark_of(exercise, machine, read.text, hand_in.name)
                                             : without_points(exercise, machine, read.refusal));
    }
    return marks;
}

std::vector<Mark> marks_of_program(const Exercise& exercise, const HandIn& hand_in, Workshop& workshop) {
    const std::vector<Made> made = workshop.made_by(hand_in, exercise);
    std::vector<Mark> marks;
    for (std::size_t i = 0; i < exercise.machines.size(); ++i) {
        const ExerciseMachine& machine = exercise.machines[i];
        marks.push_back(made[i].refusal.empty() ? mark_of(exercise, machine, made[i].text, hand_in.name)
                                                : without_points(exercise, machine, made[i].refusal));
    }
    return marks;
}

bool is_schedule(const HandIn& hand_in) {
    constexpr std::array<std::string_view, 3> endings = {".json", ".txt", ".csv"};
    std::error_code none;
    return fs::symlink_status(hand_in.path, none).type() == fs::file_type::directory ||
           std::ranges::any_of(endings, [&](std::string_view ending) { return hand_in.ends_in(ending); });
}

std::vector<Mark> marks_of(const Exercise& exercise, const HandIn& hand_in, Workshop* workshop) {
    if (is_schedule(hand_in))
        return exercise.takes.schedule ? marks_of_schedules(exercise, hand_in)
                                       : refused_everywhere(exercise, "the exercise takes no schedules");
    if (hand_in.ends_in(".cpp")) {
        if (!exercise.takes.cpp) return refused_everywhere(exercise, "the exercise takes no C++ programs");
        if (workshop != nullptr) return marks_of_program(exercise, hand_in, *workshop);
    }
    return refused_everywhere(exercise, "no hand-in; want a schedule (.json, .txt, .csv) or a C++ program (.cpp)");
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
        if (options.stop != nullptr && *options.stop) return;
        std::vector<Mark> marks = marks_of(exercise, hand_ins[i], options.workshop);
        std::vector<double> points = points_over(exercise, marks);
        all[i] = Grade{hand_ins[i].name, std::move(marks), std::move(points)};
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

}  // namespace kport::grade
