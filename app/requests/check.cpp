/// @file check.cpp   kport check: schedules and algorithms that others wrote, judged beside the bounds.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/json_report.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/graphs.hpp"
#include "app/requests/request.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/session/reporting.hpp"
#include "app/session/run.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/report.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

/// Few files say for which machine they are. Whether this one does not, and none was asked for.
bool assumes_machine(const Submission& submission, const Words& words) {
    constexpr std::string_view options[] = {"--ports",     "--duplex",    "--links",
                                            "--switching", "--combining", "--pairwise"};
    return !submission.names_machine &&
           std::ranges::none_of(options, [&](std::string_view option) { return words.has(std::string(option)); });
}

/// Where ports or channels are too few that another machine has than that for which the schedule was judged: which keeps all rules.
std::optional<std::string> machine_that_keeps_rules(const Submission& submission, const Verdict& verdict,
                                                    const Client& client) {
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
    until_interrupted.stop = client.stop;
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
                                               const Request& request) {
    const Words& words = request.words;
    if (!assumes_machine(submission, words)) return std::nullopt;
    const std::string judged =
        fmt::format("the file does not say for which machine it is: judged for {}", rules_in_words(submission.machine));
    if (outcome.ending == Ending::broken)
        if (const auto better = machine_that_keeps_rules(submission, outcome.report.verdict, request.client))
            return fmt::format("{}; {}", judged, *better);
    const Collective& collective = submission.collective;
    const bool bytes =
        collective.promises() && !collective.signals() && !collective.has_sizes() && !words.has("--bytes");
    return fmt::format("{}{}; --ports, --duplex, --links, --switching{} say otherwise", judged,
                       bytes ? fmt::format(", {}-byte packets", collective.packet_bytes) : "",
                       bytes ? ", --bytes" : "");
}

Outcome judged_submission(const Submission& submission, const Request& request, ProgressFunction progress) {
    Caller caller;
    caller.stop = request.client.stop;
    caller.progress = std::move(progress);
    try {
        Outcome outcome = kport::check(submission, request.words.has("--per-round"), caller);
        outcome.report.reproducible = request.reproducible();
        if (request.words.has("--hotspots")) put_hotspots(outcome.report, submission.schedule);
        if (auto told = told_of_assumptions(submission, outcome, request))
            outcome.report.remarks.push_back(std::move(*told));
        return outcome;
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("schedule {}: {}", quoted(submission.name), error.what()));
    }
}

}  // namespace

bool is_source(const std::string& path) { return std::filesystem::path(path).extension() == ".cpp"; }

Words words_of_run(const Words& words, const std::string& path) {
    if (!words.of || !words.has("--on"))
        throw RequestError(
            fmt::format("{} is an algorithm: of which operation, on which machine? such as kport check {} broadcast "
                        "--on mesh:4x4",
                        quoted(path), as_shell_word(*words.subject)));
    Words run_words = words;
    run_words.command = "run";
    run_words.subject = words.of;
    run_words.of.reset();
    run_words.values["--algorithm"] = path.find('/') == std::string::npos ? "./" + path : path;
    return run_words;
}

namespace {

/// Allows to read what another client does, any thread; its warnings are for no reader.
class ReadingClient final : public Client {
  public:
    explicit ReadingClient(const Client& other) : other_(other) { stop = other.stop; }
    [[nodiscard]] bool may_read(const std::string& path) const override { return other_.may_read(path); }

  private:
    const Client& other_;
};

}  // namespace

Outcome judged_schedule(const std::string& path, Request& request) {
    if (!GraphsOfRequest::is_here()) {  // one of the threads that judge a folder
        ReadingClient client(request.client);
        Request here{request.words, request.input, client};
        const GraphsOfRequest graphs(here);
        return judged_schedule(path, here);
    }
    return judged_submission(submission_in(path, request.words, request, SignsWhileReading::silent), request, {});
}

namespace {

Answer check_file(const std::string& path, Request& request) {
    const Words& words = request.words;
    std::optional<std::string> text;
    if (words.has("--repair")) text = text_to_repair(path, request);
    const Submission submission =
        text ? submission_in_text(*text, path, words, request.client) : submission_in(path, words, request);
    refuse_options_without(words, submission.collective);
    request.client.can_report();
    Outcome outcome = judged_submission(
        submission, request,
        request.client.progress(submission.machine.topology->nodes(), reached_before(submission.collective.operation)));
    outcome.report.again = command_as_typed(words);
    const std::string repair = text ? repair_lines(*text, submission, outcome.ending, request) : "";
    return {.status = status_of(outcome.ending), .text = report_of(request, outcome.report) + repair};
}

/// By a run of the algorithm in the file.
Answer check_algorithm(Request& request) {
    const Words words = words_of_run(request.words, *request.words.subject);
    Request of_run{words, request.input, request.client};
    return run(of_run);
}

}  // namespace

Answer check(Request& request) {
    const Words& words = request.words;
    if (!words.subject)
        throw RequestError("kport check needs a file, or a folder of files, such as scatter.txt; - is standard input");
    require_readable(*words.subject, request.client);
    std::error_code none;
    const bool is_folder = *words.subject != "-" && std::filesystem::is_directory(*words.subject, none);
    if (words.has("--csv") || (is_folder && !is_simgrid_folder(*words.subject)))
        return request.client.checked_files(request);
    if (words.has("--repair") || !is_source(*words.subject)) return check_file(*words.subject, request);
    return check_algorithm(request);
}

}  // namespace kport::requests
