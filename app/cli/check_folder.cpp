#include "app/cli/commands.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include "app/cli/output.hpp"
#include "app/cli/process.hpp"
#include "app/cli/progress.hpp"
#include "app/files/foreign_schedule.hpp"
#include "app/files/json_report.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

/// A file of the folder: its report, or why it has none.
struct Judged {
    std::string name;
    Json report;          ///< as json_report() has it; null where there is none
    std::string refusal;  ///< then
    int status = status_lawful;

    [[nodiscard]] std::string verdict() const {
        if (!report.is_null()) return report["verdict"].get<std::string>();
        return (status == status_stopped ? "" : "refused: ") + refusal;
    }
    /// A figure as text: "-" where it is not known.
    [[nodiscard]] std::string figure(const char* group, const char* quantity) const {
        const Json value = report.is_null() || cannot_run() ? Json() : report[group][quantity];
        return value.is_number() ? number(value.get<double>()) : "-";
    }
    /// A schedule that waits for ever has no costs.
    [[nodiscard]] bool cannot_run() const {
        return status == status_broken && report["measured"]["work"] == 0 && report.contains("findings") &&
               !report["findings"].empty();
    }
    [[nodiscard]] std::string operation() const {
        return report.is_null() ? "-" : report["operation"].get<std::string>();
    }
};

/// Of the lines that a compiler and kport have written about a file the one that says most, without the folder.
std::string reason_in(const std::string& told, const fs::path& file) {
    std::string last;
    for (const std::string_view line : split(told, '\n')) {
        const std::size_t error = line.find(": error: ");
        if (error != std::string_view::npos)
            return fmt::format("does not compile: {}", line.substr(line.substr(0, error).rfind('/') + 1));
        if (!line.empty()) last = line;
    }
    for (const std::string& speaker : {std::string("kport: "), file.string() + " "})
        if (last.starts_with(speaker)) last.erase(0, speaker.size());
    return last;
}

Judged judged_algorithm(const fs::path& file, const Words& words) {
    const Words run_words = words_of_run(words, file.string());
    std::vector<std::string> command{"kport", "run", *run_words.subject, "--json"};
    for (const auto& [option, value] : run_words.values) {
        if (option == "--json" || option == "--csv") continue;
        command.push_back(option);
        if (!option_named(option)->value.empty()) command.push_back(value);
    }
    const Ended ended = run_kport(command);
    Judged one{file.filename().string(), Json::parse(ended.out, nullptr, false), {}, status_stopped};
    if (WIFEXITED(ended.status)) one.status = WEXITSTATUS(ended.status);
    if (WIFSIGNALED(ended.status)) {
        one.report = Json();
        one.refusal =
            fmt::format("the process that judges it was ended by a signal: {}", strsignal(WTERMSIG(ended.status)));
        return one;
    }
    const bool is_whole = one.report.is_object() && one.report.contains("lawful");
    if (is_whole && (one.status != status_lawful || one.report["lawful"] == true)) return one;
    if (one.status <= status_broken) one.status = status_stopped;
    one.report = Json();
    one.refusal = reason_in(ended.err, file);
    return one;
}

Judged judged(const fs::path& file, Request& request) {
    std::error_code none;
    if (fs::symlink_status(file, none).type() == fs::file_type::not_found)
        return {file.filename().string(), {}, "cannot be opened: No such file or directory", status_wrong};
    if (!fs::is_regular_file(file, none) && !fs::is_directory(file, none))
        return {file.filename().string(), {}, "is no regular file; nothing is read from it", status_wrong};
    if (is_source(file.string())) return judged_algorithm(file, request.words);
    Judged one{file.filename().string(), {}, {}, status_wrong};
    try {
        const Outcome outcome = judged_schedule(file.string(), request);
        one.report = json_report(outcome.report);
        one.status = status_of(outcome.ending);
    } catch (const RequestError& error) {
        one.refusal = error.what();
    } catch (const DoesNotFit& error) {
        one.refusal = error.what();
        one.status = status_does_not_fit;
    }
    return one;
}

std::string table_of(const std::vector<Judged>& all, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"file"}, {"operation"}, {"rounds", right}, {"bound", right}, {"work", right}, {"verdict"}});
    for (const Judged& one : all)
        table.row({{one.name},
                   {one.operation()},
                   {one.figure("measured", "rounds")},
                   {one.figure("bounds", "rounds")},
                   {one.figure("measured", "work")},
                   {one.verdict(), one.status == status_lawful ? Tone::good : Tone::bad}});
    return table.text(paint, width);
}

std::string heading_of_folder() {
    return csv_line({"file", "operation", "rounds", "bound", "work", "latency", "status", "verdict"});
}

std::string csv_row(const Judged& one) {
    return csv_line({one.name, one.operation(), one.figure("measured", "rounds"), one.figure("bounds", "rounds"),
                     one.figure("measured", "work"), one.figure("measured", "latency"), std::to_string(one.status),
                     one.verdict()});
}

Json json_of(const std::vector<Judged>& all) {
    Json json = Json::array();
    for (const Judged& one : all) {
        Json file = one.report;
        if (file.is_null()) file["refused"] = one.refusal;
        file["file"] = one.name;
        json.push_back(std::move(file));
    }
    return json;
}

/// Files to be judged, sorted by name, and folders that hold a trace. Headers are left out, since algorithms include them; pipes and links to
/// nothing are not, so that the report names them.
std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string ending = entry.path().extension().string();
        const bool is_input = !entry.is_directory() || is_simgrid_folder(entry.path().string());
        if (is_input && ending != ".hpp" && ending != ".h") files.push_back(entry.path());
    }
    if (files.empty()) throw RequestError(fmt::format("folder {} holds no files", quoted(folder.string())));
    std::ranges::sort(files);
    return files;
}

/// Calls `each` with every result, in the order of the files, as soon as it is there. Schedules are judged on all cores; where there are
/// algorithms, each of which has all cores, one file at a time. Ctrl-C ends it after the files that are being judged.
std::vector<Judged> judged_files(const std::vector<fs::path>& files, Request& request,
                                 const std::function<void(const Judged&)>& each) {
    std::vector<Judged> all(files.size());
    std::size_t begun = 0;
    std::size_t told = 0;
    Meanwhile progress(fmt::format("0 of {} are judged", counted(files.size(), "file")));
    const auto tell = [&](const Judged& one) {
        each(one);
        progress.show(fmt::format("{} of {} are judged", ++told, counted(files.size(), "file")));
    };
    if (std::ranges::any_of(files, [](const fs::path& file) { return is_source(file.string()); })) {
        for (; begun < files.size() && !interrupted(); ++begun) tell(all[begun] = judged(files[begun], request));
    } else {
        const auto next = [&](tbb::flow_control& control) {
            if (begun < files.size() && !interrupted()) return begun++;
            control.stop();
            return begun;
        };
        const auto judge = [&](std::size_t i) {
            all[i] = judged(files[i], request);
            return i;
        };
        const std::size_t judged_at_once = 4 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
        tbb::parallel_pipeline(judged_at_once,
                               tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, next) &
                                   tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, judge) &
                                   tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order,
                                                                       [&](std::size_t i) { tell(all[i]); }));
    }
    all.resize(told);
    return all;
}

/// How grave an exit status is: a folder ends with the gravest, which is broken, then refused, then not judged.
int gravity(int status) {
    constexpr std::array order = {static_cast<int>(status_lawful), static_cast<int>(status_stopped),
                                  static_cast<int>(status_does_not_fit), static_cast<int>(status_wrong),
                                  static_cast<int>(status_broken)};
    return static_cast<int>(std::ranges::find(order, status) - order.begin());
}

}  // namespace

int check_files(Request& request) {
    const Words& words = request.words;
    if (words.has("--csv") && words.has("--json")) throw RequestError("--csv and --json: want one of them");
    if (!words.has("--json")) refuse_idle_options(words, "FOLDER");
    const std::vector<fs::path> files = fs::is_directory(*words.subject) && !is_simgrid_folder(*words.subject)
                                            ? files_in(*words.subject)
                                            : std::vector<fs::path>{*words.subject};
    if (fs::is_directory(*words.subject) && words.get("--on") == "-")
        throw RequestError("--on -: the files of a folder are judged side by side; want a graph in a file, --on FILE");
    const auto source = std::ranges::find_if(files, [](const fs::path& file) { return is_source(file.string()); });
    if (source != files.end()) (void)words_of_run(words, source->string());
    const MemoryOrEnd guard;
    something_to_tell();
    const bool csv = words.has("--csv");
    if (csv) write_out(heading_of_folder());
    const std::vector<Judged> all = judged_files(files, request, [&](const Judged& one) {
        if (csv) write_out(csv_row(one));
    });
    if (words.has("--json"))
        write_out(request.document([&] { return json_of(all); }));
    else if (!csv)
        write_out(table_of(all, paint_for_stdout(), width_of_stdout()));
    if (all.size() == files.size())
        return std::ranges::max(all, {}, [](const Judged& one) { return gravity(one.status); }).status;
    complain(fmt::format("stopped after {} of {}", all.size(), counted(files.size(), "file")));
    return status_stopped;
}

}  // namespace kport::cli
