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
#include "app/requests/command_table.hpp"
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

/// A schedule that is read as words say, and as it says itself where they say nothing. While one lives, graph files are read so, too.
class ReadByWords {
  public:
    ReadByWords(Words words, std::string name, bool is_judged)
        : words_(std::move(words)), name_(std::move(name)), graphs_(words_), is_judged_(is_judged) {}

    ReadSchedule text(std::istream& in, const Client& client) {
        const auto context_of = [this](const std::string& options) { return with(options); };
        ReadSchedule read = [&] {
            if (client.may_read("/")) return read_by_options(in, name_, context_of);
            const std::string text{std::istreambuf_iterator<char>(in), {}};
            std::istringstream again(reads_only_allowed(text, name_, client) ? text : "");
            return read_by_options(again, name_, context_of);
        }();
        read.told.options = recorded_options(words_);
        return read;
    }

    ReadSchedule file(const std::string& path, Request& request) {
        if (path == "-") return text(request.input, request.client);
        require_readable(path, request.client);
        if (std::filesystem::is_directory(path)) return read_schedule_folder(path, with(""));
        std::ifstream in(path);
        if (!in)
            throw RequestError(fmt::format("schedule {} cannot be opened: {}", quoted(path), std::strerror(errno)));
        return text(in, request.client);
    }

    /// The words and the context with which the schedule was read.
    [[nodiscard]] const Words& words() const { return words_; }
    [[nodiscard]] const ScheduleContext& context() const { return context_; }
    [[nodiscard]] bool has_options() const { return has_options_; }

  private:
    const ScheduleContext& with(const std::string& options) {
        if (!options.empty()) try {
                has_options_ = true;
                words_ = with_recorded(std::move(words_), options);
                graphs_.read_as(words_);
            } catch (const RequestError& error) {
                throw RequestError(fmt::format("schedule {}: {}", quoted(name_), error.what()));
            }
        context_ = schedule_context_of(words_);
        context_.is_judged = is_judged_;
        return context_;
    }

    Words words_;
    std::string name_;
    GraphsReadAs graphs_;
    ScheduleContext context_;
    bool is_judged_;
    bool has_options_ = false;
};

Submission submission_of(ReadSchedule read, const std::string& path, const ReadByWords& by) {
    const Words& words = by.words();
    const ScheduleContext& context = by.context();
    Submission submission{path,
                          std::string(read.form->name),
                          read.told.machine ? machine_of(words, *read.told.machine) : context.machine,
                          read.told.collective,
                          std::move(read.told.schedule),
                          std::move(read.told.remarks),
                          read.told.machine.has_value() || by.has_options(),
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

namespace {

ReadSchedule with_signs_of_reading(ReadByWords& by, const std::string& path, Request& request) {
    const std::string reading = fmt::format("{} is being read", path);
    request.client.at_work(reading);
    return with_signs_of_life(request.client, reading, [&] { return by.file(path, request); });
}

}  // namespace

ReadSchedule schedule_in(const std::string& path, Request& request) {
    ReadByWords by(request.words, name_of_input(path), false);
    return with_signs_of_reading(by, path, request);
}

Submission submission_in(const std::string& path, const Words& words, Request& request, SignsWhileReading signs) {
    ReadByWords by(words, name_of_input(path), true);
    ReadSchedule read =
        signs == SignsWhileReading::shown ? with_signs_of_reading(by, path, request) : by.file(path, request);
    return submission_of(std::move(read), path, by);
}

Submission submission_in_text(const std::string& text, const std::string& path, const Words& words,
                              const Client& client) {
    ReadByWords by(words, name_of_input(path), true);
    std::istringstream in(text);
    ReadSchedule read = by.text(in, client);
    return submission_of(std::move(read), path, by);
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
