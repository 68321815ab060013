/// @file new.cpp   kport new: an algorithm of one's own, complete, to be changed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/own_algorithms.hpp"
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

}  // namespace

int new_algorithm(const Words& words) {
    if (!words.subject)
        throw RequestError("kport new needs an operation and a file, such as kport new broadcast mine.cpp");
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
