#include "app/requests/schedule_in.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/foreign_schedule.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/graphs.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::requests {

namespace {

std::string name_of_input(const std::string& path) { return path == "-" ? "standard input" : path; }

/// Whether the client allows all that is read with this text: a list of trace files is read with these files. Does not look for a
/// file that may not be read, unless a trace of that name could be meant.
bool reads_only_allowed(const std::string& text, const std::string& name, const Client& client) {
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    bool is_list = false;
    for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const std::filesystem::path file = folder / std::filesystem::path(line.substr(0, line.find_first_of(" \t\r")));
        const bool allowed = client.may_read(file.string());
        if (!is_list && (allowed || schedule_form_of(text) != nullptr) && !names_simgrid_files(name, line)) return true;
        if (!allowed) return false;
        is_list = true;
    }
    return true;
}

ReadSchedule read_text(std::istream& in, const std::string& name, const ScheduleContext& context,
                       const Client& client) {
    if (client.may_read("/")) return read_any_schedule(in, name, context);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::istringstream again(reads_only_allowed(text, name, client) ? text : "");
    return read_any_schedule(again, name, context);
}

ReadSchedule read_schedule_in(const std::string& path, const ScheduleContext& context, Request& request) {
    if (path == "-") return read_text(request.input, name_of_input(path), context, request.client);
    require_readable(path, request.client);
    if (std::filesystem::is_directory(path)) return read_schedule_folder(path, context);
    std::ifstream file(path);
    if (!file) throw RequestError(fmt::format("schedule {} cannot be opened: {}", quoted(path), std::strerror(errno)));
    return read_text(file, path, context, request.client);
}

Submission submission_of(ReadSchedule read, const std::string& path, const ScheduleContext& context,
                         const Words& words) {
    Submission submission{path,
                          std::string(read.form->name),
                          read.told.machine ? machine_of(words, *read.told.machine) : context.machine,
                          read.told.collective,
                          std::move(read.told.schedule),
                          std::move(read.told.remarks),
                          read.told.machine.has_value(),
                          std::move(read.told.judgement)};
    submission.machine.topology = read.told.topology;
    submission.remarks.insert(submission.remarks.end(), context.remarks.begin(), context.remarks.end());
    know_link_prices(submission.machine);  // which the machine needs to be judged by its ports
    know_node_ports(submission.machine);
    if (!submission.collective.signals()) submission.collective.rules = context.rules;  // those of signals are void
    return submission;
}

}  // namespace

void require_readable(const std::string& path, const Client& client) {
    if (path != "-" && !client.may_read(path))
        throw RequestError(fmt::format(
            "schedule {}: no file is read here; want its text as the input, and - as its name", quoted(path)));
}

ReadSchedule schedule_in(const std::string& path, const ScheduleContext& context, Request& request) {
    const std::string reading = fmt::format("{} is being read", path);
    request.client.at_work(reading);
    return with_signs_of_life(request.client, reading, [&] { return read_schedule_in(path, context, request); });
}

Submission submission_in(const std::string& path, const Words& words, Request& request, SignsWhileReading signs) {
    ScheduleContext context = schedule_context_of(words);
    context.is_judged = true;
    return submission_of(signs == SignsWhileReading::shown ? schedule_in(path, context, request)
                                                           : read_schedule_in(path, context, request),
                         path, context, words);
}

Submission submission_in_text(const std::string& text, const std::string& path, const Words& words,
                              const Client& client) {
    ScheduleContext context = schedule_context_of(words);
    context.is_judged = true;
    std::istringstream in(text);
    return submission_of(read_text(in, name_of_input(path), context, client), path, context, words);
}

void refuse_options_without(const Words& words, const Collective& collective) {
    const auto refuse = [&](const std::string& option, std::string_view why) {
        if (const auto given = words.get(option))
            throw RequestError(fmt::format("{0} {1}: {2} {3}; leave {0} out", words.typed(option), quoted(*given),
                                           name(collective.operation), why));
    };
    const auto asked_with_source = [&] {  // whatever could be judged of it
        const std::optional<Operation> operation = schedule_context_of(words).operation;
        return operation && operation->rooted();
    };
    if (!collective.rooted() && words.has("--source") && !asked_with_source()) refuse("--source", "has no source");
    if (!collective.signals()) return;
    refuse("--bytes", "has signals without bytes");
    refuse("--rules", "has signals, for which NODUP and NOHO are void");
    refuse("--noho", "has signals, for which NOHO is void");
}

namespace {

const ScheduleForm& form_of_file(std::string_view option, const std::string& file) {
    if (const ScheduleForm* const form = schedule_form_of_path(file)) return *form;
    const std::string ending = std::filesystem::path(file).extension().string();
    if (ending.empty()) return schedule_form_named("json");
    std::vector<std::string_view> known;
    for (const ScheduleForm& form : schedule_forms())
        if (!form.endings.empty()) known.push_back(form.endings);
    throw RequestError(fmt::format("{} {}: no schedule ends in {}; want {}", option, quoted(file), quoted(ending),
                                   fmt::join(known, ", ")));
}

}  // namespace

void require_place_of_schedule(const Client& client, std::string_view option, const std::string& file) {
    client.require_place(option, file);
    (void)form_of_file(option, file);
}

void write_schedule_file(Client& client, std::string_view option, const std::string& file, const ToldSchedule& told) {
    const ScheduleForm& form = form_of_file(option, file);
    client.write_file(option, file, [&](std::ostream& out) { form.write(out, told); });
}

}  // namespace kport::requests
