#include "app/requests/schedule_in.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/repair.hpp"
#include "app/files/schedule_forms.hpp"
#include "app/files/whole_text.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::requests {

namespace {

constexpr std::size_t label = 8;  // columns of "repair  "

[[noreturn]] void refuse_repair(const std::string& path, std::string_view form) {
    std::vector<std::string_view> forms;
    for (const ScheduleForm& one : schedule_forms())
        if (one.has_repairs) forms.push_back(one.name);
    throw RequestError(
        fmt::format("--repair: only files of the forms {} are repaired, and {} is {}; leave --repair out",
                    fmt::join(forms, " and "), quoted(path), form));
}

/// As kport check judges the file itself.
JudgedText judged_text(const std::string& text, const Submission& submission, const Request& request) {
    if (request.stopped()) return {};
    Caller until_interrupted;
    until_interrupted.stop = request.client.stop;
    const Outcome outcome = kport::check(submission_in_text(text, submission.name, request.words, request.client),
                                         false, until_interrupted);
    const Report& report = outcome.report;
    return {outcome.ending == Ending::lawful, report.judgement.findings, report.verdict.violation_count};
}

std::string sentence_of(const FoundRepair& repair, bool stopped) {
    if (stopped) return "stopped before the search for a repair was over";
    if (!repair.searched_all)
        return fmt::format("no repair was found; the search ended after {} tries, or {} MiB of text", repair_tries_max,
                           repair_bytes_max >> 20);
    if (repair.changes.empty()) return fmt::format("no repair of at most {} changes was found", repair_changes_max);
    return fmt::format("{}, with which the file was judged again and is lawful: {}",
                       counted(repair.changes.size(), "change"), fmt::join(repair.changes, "; "));
}

}  // namespace

std::string text_to_repair(const std::string& path, Request& request) {
    require_readable(path, request.client);
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) refuse_repair(path, "a folder");
    if (is_source(path)) refuse_repair(path, "an algorithm");
    return path == "-" ? text_in(request.input, "schedule 'standard input'") : text_in_file(path, "schedule");
}

std::string repair_lines(const std::string& text, const Submission& submission, Ending ending, Request& request) {
    const auto labelled = [&](const std::string& sentence) {
        return "\n" + wrapped(fmt::format("repair  {}\n", sentence), label, request.client.width);
    };
    if (!schedule_form_named(submission.form).has_repairs) refuse_repair(submission.name, submission.form);
    if (ending == Ending::lawful) return labelled("nothing to repair: the schedule is lawful");
    if (ending == Ending::stopped) return labelled("nothing to repair: no fault was found in what was judged");
    const FoundRepair repair =
        with_signs_of_life(request.client, fmt::format("repairs of {} are being tried", submission.name), [&] {
            return repair_text(text, submission.name,
                               [&](const std::string& edited) { return judged_text(edited, submission, request); });
        });
    return labelled(sentence_of(repair, request.stopped())) + repair.patch;
}

}  // namespace kport::requests
