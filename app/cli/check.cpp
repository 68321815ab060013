/// @file check.cpp   kport check: schedules and algorithms that others wrote, judged beside the bounds.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/cli/check_folder.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/document.hpp"
#include "app/cli/experiment_of.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_table.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/repaired.hpp"
#include "app/cli/schedule_in.hpp"
#include "app/files/foreign_schedule.hpp"
#include "app/files/json_report.hpp"
#include "app/session/check.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/text_report.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

/// Few files say for which machine they are. Whether this one does not, and none was asked for.
bool assumes_machine(const Submission& submission, const Words& words) {
    constexpr std::string_view options[] = {"--ports",     "--duplex",    "--links",
                                            "--switching", "--combining", "--pairwise"};
    return !submission.names_machine &&
           std::ranges::none_of(options, [&](std::string_view option) { return words.has(std::string(option)); });
}

/// Where ports or channels are too few that another machine has than that for which the schedule was judged: which keeps all rules.
std::optional<std::string> machine_that_keeps_rules(const Submission& submission, const Verdict& verdict) {
    if (verdict.kept(Rule::ports) && verdict.kept(Rule::channel)) return std::nullopt;
    struct Wider {
        PortLimit ports;
        Switching switching;
        std::string_view options;
    };
    const Wider wider[] = {{PortLimit(2), Switching::store_and_forward, "--ports 2"},
                           {PortLimit::all(), Switching::store_and_forward, "--ports all"},
                           {PortLimit(1), Switching::wormhole, "--switching wh"},
                           {PortLimit::all(), Switching::wormhole, "--ports all --switching wh"}};
    Caller until_interrupted;
    until_interrupted.stop = &interrupted();
    Submission other = submission;
    for (const Wider& machine : wider) {
        other.machine.ports = machine.ports;
        other.machine.switching = machine.switching;
        const Report report = kport::check(other, false, until_interrupted).report;
        if (!report.stopped && report.verdict.lawful()) return fmt::format("{} keeps all rules", machine.options);
    }
    return std::nullopt;
}

/// What the schedule is judged for that neither the file nor an option says, and the options that say it.
std::optional<std::string> told_of_assumptions(const Submission& submission, const Outcome& outcome,
                                               const Words& words) {
    if (!assumes_machine(submission, words)) return std::nullopt;
    const std::string judged =
        fmt::format("the file does not say for which machine it is: judged for {}", rules_in_words(submission.machine));
    if (outcome.ending == Ending::broken)
        if (const auto better = machine_that_keeps_rules(submission, outcome.report.verdict))
            return fmt::format("{}; {}", judged, *better);
    const Collective& collective = submission.collective;
    const bool bytes = collective.promises() && !collective.signals() && !words.has("--bytes");
    return fmt::format("{}{}; --ports, --duplex, --links, --switching{} say otherwise", judged,
                       bytes ? fmt::format(", {}-byte packets", collective.packet_bytes) : "",
                       bytes ? ", --bytes" : "");
}

Outcome judged_submission(const Submission& submission, const Words& words, ProgressDisplay* progress) {
    Caller caller;
    caller.stop = &interrupted();
    if (progress != nullptr)
        caller.progress = [=](const Metrics& metrics, std::uint64_t reached) { progress->show(metrics, reached); };
    try {
        Outcome outcome = kport::check(submission, words.has("--per-round"), caller);
        if (auto told = told_of_assumptions(submission, outcome, words))
            outcome.report.remarks.push_back(std::move(*told));
        return outcome;
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("schedule {}: {}", quoted(submission.name), error.what()));
    }
}

}  // namespace

Outcome judged_schedule(const std::string& path, const Words& words) {
    return judged_submission(submission_in(path, words, SignsWhileReading::silent), words, nullptr);
}

namespace {

/// The command that was given.
std::string again_of(const Words& words) {
    std::string text = fmt::format("kport check {}{}", as_shell_word(*words.subject), words.of ? " " + *words.of : "");
    for (const auto& [option, value] : words.values)
        text +=
            option_named(option)->value.empty() ? " " + option : fmt::format(" {} {}", option, as_shell_word(value));
    return text;
}

int check_file(const std::string& path, const Words& words) {
    std::optional<std::string> text;
    if (words.has("--repair")) text = text_to_repair(path);
    const Submission submission = text ? submission_in_text(*text, path, words) : submission_in(path, words);
    refuse_options_without(words, submission.collective);
    something_to_tell();
    ProgressDisplay progress(submission.machine.topology->nodes(), reached_before(submission.collective.operation));
    Outcome outcome = judged_submission(submission, words, &progress);
    Report& report = outcome.report;
    report.again = again_of(words);
    const std::string repair = text ? repair_lines(*text, submission, outcome.ending, words) : "";
    write_out(words.has("--json") ? document([&] { return json_report(report); })
                                  : text_report(report, paint_for_stdout(), width_of_stdout()) + repair);
    return status_of(outcome.ending);
}

}  // namespace

int check(const Words& words) {
    if (!words.subject)
        throw RequestError("kport check needs a file, or a folder of files, such as scatter.txt; - is standard input");
    std::error_code none;
    const bool is_folder = std::filesystem::is_directory(*words.subject, none);
    if (words.has("--csv") || (is_folder && !is_simgrid_folder(*words.subject))) return check_files(words);
    if (words.has("--repair")) return check_file(*words.subject, words);
    return is_source(*words.subject) ? run(words_of_run(words, *words.subject)) : check_file(*words.subject, words);
}

}  // namespace kport::cli
