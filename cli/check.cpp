/// @file check.cpp   kport check: schedules that others wrote, judged beside the bounds.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/experiment_of.hpp"
#include "cli/interrupt.hpp"
#include "cli/option_table.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/schedule_in.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/text_report.hpp"
#include "emulator/report/words.hpp"
#include "files/json_report.hpp"
#include "session/check.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

Outcome checked(const std::string& path, const ScheduleContext& context, bool per_round) {
    const Submission submission = submission_in(path, context);
    something_to_tell();
    ProgressDisplay progress(submission.machine.topology->nodes(), reached_before(submission.collective.operation));
    Caller caller;
    caller.stop = &interrupted();
    caller.progress = [&](const Metrics& metrics, std::uint64_t reached) { progress.show(metrics, reached); };
    try {
        return kport::check(submission, per_round, caller);
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("schedule {}: {}", quoted(path), error.what()));
    }
}

/// The command that was given.
std::string again_of(const Words& words) {
    std::string text = fmt::format("kport check {}{}", as_shell_word(*words.subject), words.of ? " " + *words.of : "");
    for (const auto& [option, value] : words.values)
        text +=
            option_named(option)->value.empty() ? " " + option : fmt::format(" {} {}", option, as_shell_word(value));
    return text;
}

int check_file(const std::string& path, const ScheduleContext& context, const Words& words) {
    Outcome outcome = checked(path, context, words.has("--per-round"));
    Report& report = outcome.report;
    report.again = again_of(words);
    write_out(words.has("--json") ? document([&] { return json_report(report); })
                                  : text_report(report, paint_for_stdout(), width_of_stdout()));
    return status_of(outcome.ending);
}

/// A file of a folder: its report, or why it has none.
struct Judged {
    std::string name;
    std::optional<Outcome> outcome;
    std::string refusal;
};

std::string table_of(const std::vector<Judged>& all, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"file"}, {"operation"}, {"rounds", right}, {"bound", right}, {"work", right}, {"verdict"}});
    for (const Judged& one : all) {
        if (!one.outcome) {
            table.row({{one.name}, {"-"}, {"-"}, {"-"}, {"-"}, {"refused: " + one.refusal, Tone::bad}});
            continue;
        }
        const Report& report = one.outcome->report;
        const BoundLine& bound = report.bounds[Quantity::rounds];
        table.row({{one.name},
                   {std::string(name(report.operation))},
                   {std::to_string(report.verdict.metrics.rounds)},
                   {bound.value ? number(*bound.value) : "-"},
                   {std::to_string(report.verdict.metrics.work)},
                   verdict_text(report)});
    }
    return table.text(paint, width);
}

Json json_of(const std::vector<Judged>& all) {
    Json json = Json::array();
    for (const Judged& one : all) {
        Json file = one.outcome ? json_report(one.outcome->report) : Json();
        if (!one.outcome) file["refused"] = one.refusal;
        file["file"] = one.name;
        json.push_back(std::move(file));
    }
    return json;
}

int check_folder(const fs::path& folder, const ScheduleContext& context, const Words& words) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    if (files.empty()) throw RequestError(fmt::format("folder {} holds no files", quoted(folder.string())));
    std::ranges::sort(files);
    std::vector<Judged> all;
    int status = status_lawful;
    for (const fs::path& file : files) {
        Judged& one = all.emplace_back(Judged{file.filename().string(), {}, {}});
        try {
            one.outcome = checked(file.string(), context, words.has("--per-round"));
            status = std::max<int>(status, status_of(one.outcome->ending));
        } catch (const RequestError& error) {
            one.refusal = error.what();
            status = std::max<int>(status, status_wrong);
        } catch (const DoesNotFit& error) {
            one.refusal = error.what();
            status = std::max<int>(status, status_does_not_fit);
        }
        if (status == status_stopped) break;
    }
    write_out(words.has("--json") ? document([&] { return json_of(all); })
                                  : table_of(all, paint_for_stdout(), width_of_stdout()));
    return status;
}

}  // namespace

int check(const Words& words) {
    if (!words.subject)
        throw RequestError("kport check needs a file, or a folder of files, such as scatter.txt; - is standard input");
    const ScheduleContext context = schedule_context_of(words);
    std::error_code none;
    if (fs::is_directory(*words.subject, none)) return check_folder(*words.subject, context, words);
    return check_file(*words.subject, context, words);
}

}  // namespace kport::cli
