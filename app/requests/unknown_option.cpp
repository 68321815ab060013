#include "app/requests/unknown_option.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/requests/command_table.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::requests {

namespace {

std::vector<std::string_view> option_words(std::string_view command) {
    std::vector<std::string_view> words;
    for (const Option& option : all_options()) {
        if (!takes(command, option)) continue;
        words.push_back(option.name);
        if (!option.alias.empty()) words.push_back(option.alias);
    }
    words.emplace_back("--help");
    return words;
}

/// Who writes --topology means the option whose value is one, --on TOPOLOGY, if no other takes such a value.
const Option* option_by_value(std::string_view command, std::string_view word) {
    const Option* found = nullptr;
    for (const Option& option : all_options())
        if (takes(command, option) && option.value.size() > 1 && word.starts_with("--") &&
            boost::iequals(word.substr(2), option.value)) {
            if (found != nullptr) return nullptr;
            found = &option;
        }
    return found;
}

/// "--switching wh" for --wormhole: the options with the value that was typed as one, " or " between them.
std::string options_with_value(std::string_view command, std::string_view word) {
    std::vector<std::string> found;
    for (const Option& option : all_options()) {
        if (!takes(command, option) || option.member.choices.empty() || !word.starts_with("--")) continue;
        const std::string_view value = called_so(word, split(option.member.choices, ' '));
        if (!value.empty()) found.push_back(fmt::format("{} {}", option.name, value));
    }
    return fmt::format("{}", fmt::join(found, " or "));
}

/// What an unknown option says, by name, by its value, or nearly.
std::string option_meant(std::string_view command, std::string_view option) {
    if (const Option* by_value = option_by_value(command, option))
        return fmt::format("; want {} {}", by_value->name, by_value->value);
    const std::vector<std::string_view> words = option_words(command);
    if (const std::string with_value = options_with_value(command, option);
        !with_value.empty() && called_so(option, words).empty())
        return "; want " + with_value;
    return did_you_mean(option, words);
}

/// What to do instead of giving a command the option of another.
std::string instead_of(const Option& option, const Words& words) {
    if (option.name == "--on" && command_named(words.command).subject == "TOPOLOGY")
        return fmt::format("; want kport {} {}", words.command, words.subject.value_or("TOPOLOGY"));
    if (option.name == "--json" && words.command == "show") return "; want --as json";
    if (has_word("bounds explain", words.command) && takes("run", option)) return "; it runs nothing";
    if (option.only.empty()) return words.command == "stress" ? "; it draws machines, of at most --nodes N nodes" : "";
    return fmt::format("; it is an option of kport {}", fmt::join(split(option.only, ' '), ", "));
}

}  // namespace

void refuse_unknown_option(const Words& words, std::string_view word) {
    const std::string_view option = word.substr(0, word.find('='));
    if (const Option* known = option_named(option))
        throw RequestError(
            fmt::format("kport {} takes no {}{}", words.command, quoted(option), instead_of(*known, words)));
    throw RequestError(fmt::format("unknown option {}{} ('kport {} --help' shows all)", quoted(option),
                                   option_meant(words.command, option), words.command));
}

}  // namespace kport::requests
