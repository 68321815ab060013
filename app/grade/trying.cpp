#include "app/grade/grading.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/catalogue.hpp"
#include "app/grade/mark.hpp"
#include "app/session/run.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::grade {

namespace {

constexpr std::size_t omissions_most = 1000;

/// What an algorithm moves on a machine, or why it does not run there.
struct Moved {
    Schedule schedule;
    Collective collective;  ///< as it was judged: an algorithm may keep partial results apart
    std::string refusal;
};

Moved moved_by(const Algorithm& algorithm, const ExerciseMachine& machine, const std::atomic<bool>* stop) {
    Moved moved;
    Experiment experiment = machine.experiment;
    experiment.algorithm = algorithm.name;
    experiment.threads = 1;
    Caller caller;
    caller.stop = stop;
    caller.recorded_schedule = &moved.schedule;
    try {
        moved.collective = kport::run(experiment, caller).report.collective;
    } catch (const RequestError&) {
        moved.refusal = machine.label;
    } catch (const DoesNotFit&) {
        moved.refusal = machine.label;
    } catch (const ProgramError&) {
        moved.refusal = machine.label;
    }
    return moved;
}

/// An algorithm's schedules on all machines, and its grade; or where it does not run.
struct Attempted {
    std::vector<Moved> moved;
    Grade grade;
    std::string misfit;
};

Attempted attempted(const Exercise& exercise, const Algorithm& algorithm, const std::atomic<bool>* stop) {
    Attempted one;
    one.grade.name = algorithm.name;
    for (const ExerciseMachine& machine : exercise.machines) {
        Moved moved = moved_by(algorithm, machine, stop);
        if (!moved.refusal.empty()) {
            one.misfit = fmt::format("{} ({})", algorithm.name, moved.refusal);
            return one;
        }
        const std::string text = text_of(moved.schedule, machine, moved.collective);
        one.grade.marks.push_back(mark_of(exercise, machine, text, one.grade.name));
        one.moved.push_back(std::move(moved));
    }
    one.grade.points = points_over(exercise, one.grade.marks);
    return one;
}

/// The algorithms of the operation, without the search `exact`, which takes as long as it takes.
std::vector<const Algorithm*> algorithms_of(const Exercise& exercise) {
    std::vector<const Algorithm*> rows;
    const Operation operation = exercise.machines.front().experiment.collective.operation;
    for (const Algorithm& algorithm : catalogue())
        if (algorithm.operation == operation && algorithm.name != "exact") rows.push_back(&algorithm);
    return rows;
}

Grade graded_empty(const Exercise& exercise) {
    Grade grade{.name = "empty hand-in", .marks = {}, .points = {}};
    for (const ExerciseMachine& machine : exercise.machines)
        grade.marks.push_back(
            mark_of(exercise, machine, text_of(Schedule(), machine, machine.experiment.collective), grade.name));
    grade.points = points_over(exercise, grade.marks);
    return grade;
}

/// Grades the right answers of an exercise of numbers, and a text without answers.
Tried tried_answers(const Exercise& exercise) {
    Tried all;
    Grade right{.name = "kport's answers", .marks = {}, .points = {}};
    all.empty.name = "empty hand-in";
    for (const ExerciseMachine& machine : exercise.machines) {
        const std::string text = text_of_answers(exercise, machine);
        right.marks.push_back(mark_of(exercise, machine, text, right.name));
        all.empty.marks.push_back(mark_of(exercise, machine, "", all.empty.name));
        all.answers += fmt::format("{}\n{}", machine.label, text);
    }
    right.points = points_over(exercise, right.marks);
    all.empty.points = points_over(exercise, all.empty.marks);
    all.algorithms.push_back(std::move(right));
    return all;
}

Schedule without_message(const Schedule& schedule, std::size_t left_out) {
    Schedule others;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (i != left_out) others.add(schedule.round(i), schedule.transfer(i));
    for (const Silence& silence : schedule.silences()) others.add_silent(silence.first, silence.count);
    return others;
}

/// A message of a schedule that is left out.
struct Omission {
    std::size_t machine;
    std::size_t message;
};

/// At most omissions_most, evenly spread over all messages of all machines.
std::vector<Omission> omissions_in(const std::vector<Moved>& moved) {
    std::size_t all = 0;
    for (const Moved& on_machine : moved) all += on_machine.schedule.size();
    const std::size_t step = std::max<std::size_t>(1, (all + omissions_most - 1) / omissions_most);
    std::vector<Omission> chosen;
    std::size_t number = 0;
    for (std::size_t m = 0; m < moved.size(); ++m)
        for (std::size_t i = 0; i < moved[m].schedule.size(); ++i)
            if (number++ % step == 0) chosen.push_back({m, i});
    return chosen;
}

std::string redundant_message(const Exercise& exercise, const std::vector<Moved>& moved, const Omission& omission) {
    const ExerciseMachine& machine = exercise.machines[omission.machine];
    const auto& [schedule, collective, refusal] = moved[omission.machine];
    const Mark mark =
        mark_of(exercise, machine, text_of(without_message(schedule, omission.message), machine, collective), "");
    if (!mark.failure.empty()) return {};
    const Transfer transfer = schedule.transfer(omission.message);
    return fmt::format("{}: round {}, {} -> {}", machine.label, schedule.round(omission.message), transfer.from,
                       transfer.to);
}

void leave_out_messages(const Exercise& exercise, const std::vector<Moved>& moved, unsigned threads, Tried& all) {
    const std::vector<Omission> omissions = omissions_in(moved);
    std::vector<std::string> found(omissions.size());
    share_out(omissions.size(), threads,
              [&](std::size_t i) { found[i] = redundant_message(exercise, moved, omissions[i]); });
    all.omissions = omissions.size();
    for (std::string& one : found)
        if (!one.empty()) all.redundant.push_back(std::move(one));
}

}  // namespace

Tried tried(const Exercise& exercise, const GradingOptions& options) {
    if (exercise.takes.contains(Kind::numbers)) return tried_answers(exercise);
    const std::vector<const Algorithm*> rows = algorithms_of(exercise);
    std::vector<Attempted> attempts(rows.size());
    share_out(rows.size(), options.threads,
              [&](std::size_t i) { attempts[i] = attempted(exercise, *rows[i], options.stop); });
    Tried all;
    all.empty = graded_empty(exercise);
    const Attempted* best = nullptr;
    for (const Attempted& one : attempts) {
        if (!one.misfit.empty()) {
            all.misfits.push_back(one.misfit);
            continue;
        }
        if (best == nullptr || one.grade.total() > best->grade.total()) best = &one;
        all.algorithms.push_back(one.grade);
    }
    if (best != nullptr && is_full(exercise, best->grade))
        leave_out_messages(exercise, best->moved, options.threads, all);
    all.stopped = options.stop != nullptr && *options.stop;
    return all;
}

namespace {

std::string verdict_of(const Exercise& exercise, const Tried& all) {
    std::vector<std::string> full;
    for (const Grade& grade : all.algorithms)
        if (is_full(exercise, grade)) full.push_back(grade.name);
    std::string text =
        full.empty()
            ? std::string("full points: no algorithm of kport; an answer of yours must show that there is one\n")
            : fmt::format("full points: {}\n", fmt::join(full, ", "));
    if (!all.misfits.empty()) text += fmt::format("not on all machines: {}\n", fmt::join(all.misfits, ", "));
    if (all.empty.total() > 0) text += "the empty hand-in gets points; want a machine on which something must move\n";
    if (all.omissions > 0)
        text += all.redundant.empty()
                    ? fmt::format("without one of its messages, tried {} times: never full points\n", all.omissions)
                    : fmt::format("full points without this message, which changes nothing that is promised: {}\n",
                                  all.redundant.front());
    return text;
}

}  // namespace

bool Tried::solvable(const Exercise& exercise) const {
    return std::ranges::any_of(algorithms, [&](const Grade& grade) { return is_full(exercise, grade); });
}

bool Tried::sound(const Exercise& exercise) const { return solvable(exercise) && empty.total() == 0 && !stopped; }

std::string text_of(const Exercise& exercise, const Tried& all, const Paint& paint, std::size_t width) {
    std::vector<Grade> rows = all.algorithms;
    rows.push_back(all.empty);
    const std::string text = all.answers.empty() ? verdict_of(exercise, all) : all.answers;
    return fmt::format("{}\n{}", table_of(exercise, rows, paint, width), wrapped(text, 4, width));
}

Json json_of(const Exercise& exercise, const Tried& all) {
    std::vector<Grade> rows = all.algorithms;
    rows.push_back(all.empty);
    Json json = json_of(exercise, rows);
    json["sound"] = all.sound(exercise);
    json["solvable"] = all.solvable(exercise);
    json["misfits"] = all.misfits;
    json["omissions"] = all.omissions;
    json["redundant"] = all.redundant;
    if (!all.answers.empty()) json["answers"] = all.answers;
    return json;
}

}  // namespace kport::grade
