/// @file grade.cpp   kport grade: the hand-ins of a class, graded by an exercise.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/workshop.hpp"
#include "app/files/whole_text.hpp"
#include "app/grade/grading.hpp"
#include "app/session/experiment.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

namespace {

unsigned graders_of(const Words& words) {
    constexpr std::uint64_t threads_max = 1024;
    const auto given = words.get("--threads");
    return given ? static_cast<unsigned>(parse_count(*given, "--threads", 1, threads_max))
                 : Experiment().thread_count();
}

int try_exercise(const Words& words, const grade::Exercise& exercise, grade::GradingOptions options) {
    if (words.of)
        throw RequestError(fmt::format("--try grades no hand-ins; leave {} out, or --try", quoted(*words.of)));
    const grade::Tried tried = with_signs_of_life(fmt::format("{} is being tried", *words.subject),
                                                  [&] { return grade::tried(exercise, options); });
    write_out(words.has("--json") ? document([&] { return grade::json_of(exercise, tried); })
                                  : grade::text_of(exercise, tried, paint_for_stdout(), width_of_stdout()));
    if (tried.stopped) {
        complain("stopped before all was tried");
        return status_stopped;
    }
    return tried.sound(exercise) ? status_lawful : status_broken;
}

std::string results_text(const Words& words, const grade::Exercise& exercise, const std::vector<grade::Grade>& grades) {
    if (words.has("--json")) return document([&] { return grade::json_of(exercise, grades); });
    if (words.has("--csv")) return grade::csv_of(exercise, grades);
    return grade::table_of(exercise, grades, paint_for_stdout(), width_of_stdout());
}

/// Says how the two judges differ, which only an error of kport can make them.
bool complain_of_disputes(const std::vector<grade::Grade>& grades) {
    bool any = false;
    for (const grade::Grade& one : grades)
        for (const grade::Mark& mark : one.marks) {
            if (mark.dispute.empty()) continue;
            complain(fmt::format("{}: the auditor and the umpire differ: {}", one.name, mark.dispute));
            any = true;
        }
    return any;
}

/// A page for each hand-in; the folder is made where there is none.
void write_pages(const std::string& folder, const grade::Exercise& exercise, const std::vector<grade::Grade>& grades) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        throw OutputError(fmt::format("--feedback {}: cannot be made ({})", quoted(folder), error.message()), false);
    const std::vector<std::string> names = grade::page_names(grades);
    for (std::size_t i = 0; i < grades.size(); ++i)
        write_file("--feedback", (std::filesystem::path(folder) / names[i]).string(),
                   grade::page_of(exercise, grades[i]));
}

/// The kinds of programs that will run.
std::set<grade::Kind> programs_in(const grade::Exercise& exercise, const std::vector<grade::HandIn>& hand_ins) {
    std::set<grade::Kind> programs;
    for (const grade::HandIn& one : hand_ins)
        if (const auto kind = one.kind(exercise); kind && row(*kind).runs && exercise.takes.contains(*kind))
            programs.insert(*kind);
    return programs;
}

int grade_hand_ins(const Words& words, const grade::Exercise& exercise, grade::GradingOptions options) {
    if (!words.of)
        throw RequestError(fmt::format("kport grade needs hand-ins, such as kport grade {} hand-ins; or --try",
                                       as_shell_word(*words.subject)));
    const std::vector<grade::HandIn> hand_ins = grade::hand_ins_at(*words.of);
    const auto gradescope = words.get("--gradescope");
    const auto feedback = words.get("--feedback");
    if (feedback && exercise.feedback == grade::Feedback::none)
        throw RequestError("--feedback: the exercise says \"feedback\": \"none\"; want points, first_failure or all");
    options.pictures = feedback.has_value();
    if (gradescope) {
        require_place("--gradescope", *gradescope);
        if (hand_ins.size() != 1)
            throw RequestError(fmt::format("--gradescope: its file is of one hand-in; {} holds {}", quoted(*words.of),
                                           hand_ins.size()));
    }
    std::optional<BoxWorkshop> workshop;
    if (const std::set<grade::Kind> programs = programs_in(exercise, hand_ins); !programs.empty())
        options.workshop = &workshop.emplace(programs, words.has("--already-contained"));
    Meanwhile progress(fmt::format("0 of {} are graded", counted(hand_ins.size(), "hand-in")));
    options.graded = [&](std::size_t done) {
        progress.show(fmt::format("{} of {} are graded", done, counted(hand_ins.size(), "hand-in")));
    };
    something_to_tell();
    const std::vector<grade::Grade> grades = grade::graded(exercise, hand_ins, options);
    if (gradescope && !grades.empty())
        write_file("--gradescope", *gradescope,
                   document([&] { return grade::gradescope_of(exercise, grades.front()); }));
    if (feedback) write_pages(*feedback, exercise, grades);
    write_out(results_text(words, exercise, grades));
    if (grades.size() < hand_ins.size()) {
        complain(fmt::format("stopped after {} of {}", grades.size(), counted(hand_ins.size(), "hand-in")));
        return status_stopped;
    }
    if (complain_of_disputes(grades)) return status_stopped;
    const bool all_full =
        std::ranges::all_of(grades, [&](const grade::Grade& one) { return grade::is_full(exercise, one); });
    return all_full ? status_lawful : status_broken;
}

}  // namespace

int grade(const Words& words) {
    if (!words.subject)
        throw RequestError("kport grade needs an exercise and hand-ins, such as kport grade exercise.json hand-ins");
    grade::Exercise exercise = grade::read_exercise(text_in_file(*words.subject, "exercise"), *words.subject);
    if (const auto number = words.get("--machine"))
        exercise.machines = {exercise.machines[parse_count(*number, "--machine", 1, exercise.machines.size()) - 1]};
    grade::GradingOptions options;
    options.threads = graders_of(words);
    options.stop = &interrupted();
    return words.has("--try") ? try_exercise(words, exercise, options) : grade_hand_ins(words, exercise, options);
}

}  // namespace kport::cli
