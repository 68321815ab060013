/// @file new.cpp   kport new: an algorithm or an exercise of one's own, complete, to be changed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/own_algorithms.hpp"
#include "app/grade/exercise.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/schedule/operation.hpp"

namespace kport::cli {

namespace {

constexpr std::string_view name_in_templates = "./mine.cpp";

const OwnTemplate& template_for(const Operation& operation) {
    const std::span<const OwnTemplate> all = own_templates();
    const auto found = std::ranges::find(all, name(operation), &OwnTemplate::operation);
    invariant(found != all.end(), "every operation has a template");
    return *found;
}

/// As --algorithm takes it: with a slash.
std::string as_algorithm(const std::string& file) { return file.find('/') == std::string::npos ? "./" + file : file; }

/// The first command that it names.
std::string_view first_command(std::string_view text) {
    const std::size_t at = text.find("kport run");
    return text.substr(at, text.find('\n', at) - at);
}

/// Writes the files of the sample below a folder; without one the exercise goes to standard output.
int new_exercise(const std::optional<std::string>& name) {
    if (!name) {
        write_out(grade::sample().front().text);
        return status_lawful;
    }
    const std::filesystem::path folder = *name;
    std::error_code error;
    if (std::filesystem::exists(folder, error))
        throw RequestError(fmt::format("{} exists; kport new does not overwrite files", quoted(*name)));
    for (const grade::SampleFile& file : grade::sample()) {
        const std::filesystem::path path = folder / file.name;
        std::filesystem::create_directories(path.parent_path(), error);
        if (error) throw RequestError(fmt::format("folder {} cannot be made: {}", quoted(*name), error.message()));
        write_file("", path.string(), file.text);
    }
    const std::string word = as_shell_word(*name);
    write_out(
        fmt::format("{0} is written; try it:\n  kport grade {1}/exercise.json --try\n"
                    "  kport grade {1}/exercise.json {1}/hand-ins\n",
                    *name, word));
    return status_lawful;
}

}  // namespace

int new_algorithm(const Words& words) {
    if (!words.subject)
        throw RequestError("kport new needs an operation and a file, such as kport new broadcast mine.cpp");
    if (*words.subject == "exercise") return new_exercise(words.of);
    std::string text(template_for(operation_named(*words.subject)).text);
    if (!words.of) {
        write_out(text);
        return status_lawful;
    }
    const std::filesystem::path file = *words.of;
    if (file.extension() != ".cpp")
        throw RequestError(
            fmt::format("{} is no C++ file; want one that ends in .cpp, such as mine.cpp", quoted(*words.of)));
    std::error_code none;
    if (std::filesystem::exists(file, none))
        throw RequestError(fmt::format("{} exists; kport new does not overwrite files", quoted(*words.of)));
    require_place("", *words.of);
    boost::replace_all(text, name_in_templates, as_shell_word(as_algorithm(*words.of)));
    write_file("", *words.of, text);
    write_out(fmt::format("{} is written; run it:\n  {}\n", *words.of, first_command(text)));
    return status_lawful;
}

}  // namespace kport::cli
