#include "app/requests/client.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/requests/performed.hpp"
#include "app/requests/request.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/whole_file.hpp"

namespace kport::requests {

bool Client::may_read(const std::string&) const { return false; }

void Client::require_place(std::string_view option, const std::string& file) const {
    throw RequestError(option.empty()
                           ? fmt::format("{}: no file is written here; leave it out", quoted(file))
                           : fmt::format("{0} {1}: no file is written here; leave {0} out", option, quoted(file)));
}

void Client::write_file(std::string_view option, const std::string& file, const std::function<void(std::ostream&)>&) {
    require_place(option, file);
}

void Client::require_code(const std::string& file) const {
    throw RequestError(
        fmt::format("algorithm {}: no code in files runs here; want a name ('kport list algorithms' "
                    "shows all)",
                    quoted(file)));
}

Performed Client::performed_apart(Request&, const Experiment& experiment, const Wanted&) {
    require_code(experiment.algorithm);
    return {};
}

std::unique_ptr<OutOfProcess> Client::own_rows(Request&, std::span<const Experiment>) { return nullptr; }

void Client::predict(const std::string& file, Wanted&) {
    throw RequestError(fmt::format("--calibrated{}: no time is measured here; leave --calibrated out",
                                   file.empty() ? "" : " " + quoted(file)));
}

Answer Client::checked_files(Request& request) {
    throw RequestError(fmt::format("{}: folders and tables of files are judged by the program kport only",
                                   quoted(request.words.subject.value_or(""))));
}

Caller Client::caller() {
    Caller caller;
    caller.stop = stop;
    caller.ranks = forked_ranks();
    const auto begun = std::make_shared<Experiment>();
    caller.begins = [begun](const Chosen& chosen) { *begun = chosen.experiment; };
    caller.ended = [this, begun](const Outcome& outcome) {
        for (const std::string& warning : warnings_of(*begun, outcome)) warn(warning);
    };
    return caller;
}

std::vector<std::string> warnings_of(const Experiment& e, const Outcome& outcome) {
    std::vector<std::string> warnings;
    if (outcome.before_fault)
        warnings.push_back(
            fmt::format("--inject {}: stopped before the fault was injected", info(e.injection->fault).name));
    if (outcome.report.out_of_rounds)
        warnings.push_back(
            fmt::format("{} on {} was stopped at the limit of {}; --max-rounds N allows more", outcome.report.algorithm,
                        e.topology().spec(),
                        counted(e.max_rounds != 0 ? e.max_rounds : default_max_rounds(e.topology().nodes()), "round")));
    return warnings;
}

namespace {

/// "--plot 'x.svg'".
std::string named_place(std::string_view option, const std::string& file) {
    return option.empty() ? quoted(file) : fmt::format("{} {}", option, quoted(file));
}

[[noreturn]] void refuse_place(std::string_view option, const std::string& file, const std::string& why) {
    throw RequestError(fmt::format("{}: {}", named_place(option, file), why));
}

}  // namespace

void require_usable_name(std::string_view option, const std::string& file) {
    if (file == "-") refuse_place(option, file, "standard output is no place for it; want a file, such as ./-");
    if (std::filesystem::is_directory(file)) refuse_place(option, file, "is a folder; want a file");
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        refuse_place(option, file, fmt::format("there is no folder {}", quoted(folder.string())));
}

void require_writable_place(std::string_view option, const std::string& file) {
    require_usable_name(option, file);
    if (const auto why = why_not_replaced(file))
        refuse_place(option, file, fmt::format("cannot be written ({})", *why));
}

void replace_named_file(std::string_view option, const std::string& file,
                        const std::function<void(std::ostream&)>& write) {
    if (const auto why = replace_file(file, write))
        throw OutputError(fmt::format("{}: cannot be written ({})", named_place(option, file), *why), false);
}

}  // namespace kport::requests
