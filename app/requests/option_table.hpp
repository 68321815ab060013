/// @file option_table.hpp   Every command and option of the program: help, errors, the man page and completions are written from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/requests/command_line.hpp"

namespace kport::requests {

/// What an option is about: help shows them in groups, in this order.
enum class OptionGroup : std::uint8_t { machine, graph, algorithm, payload, prices, run, output };
[[nodiscard]] std::string_view name(OptionGroup group);

/// An option as the user knows it. `value` is empty for a flag; `only` are the commands that take it, empty for all.
struct OptionInfo {
    OptionGroup group;
    std::string_view name;
    std::string_view alias;
    std::string_view value;
    std::string_view about;  ///< parts between '|'; one that begins with "COMMAND: " is for that command (about_of())
    std::string_view only = "";
    bool many_words = false;       ///< its value is all words up to the next option, with spaces between them
    bool may_stand_alone = false;  ///< its value may be left out, and is empty then
    std::string_view choices =
        "";  ///< the values that it may have, with spaces between them, or the usual ones; empty where they are many
};

/// A command as the user knows it.
struct CommandInfo {
    std::string_view name;
    std::string_view about;
    std::string_view example;
    std::string_view more = "";
    std::string_view subject = "OPERATION";  ///< the word after the command; empty: there is none
    std::string_view of = "";                ///< a second word that may follow the subject; empty: there is none
    std::string_view of_about = "";          ///< what it is
    std::string_view options = "";           ///< the only ones that it takes; empty: all that are not another command's
};

/// Options that a command takes and that have no effect in one of its uses: there they are refused.
struct IdleOptions {
    std::string_view commands;
    std::string_view use;  ///< an option beside which they are idle; or what the command is given: "FILE", "TOPOLOGY"
    std::string_view options;
    std::string_view why;  ///< "a schedule in a file is shown, and nothing runs"
};
[[nodiscard]] std::span<const IdleOptions> all_idle_options();

/// In the order in which help shows them.
[[nodiscard]] std::span<const OptionInfo> all_options();
[[nodiscard]] std::span<const CommandInfo> all_commands();

/// By name or alias, such as "--on"; null if there is none.
[[nodiscard]] const OptionInfo* option_named(std::string_view word);
/// What help of the command says of the option; of no command: what it says of all, as "COMMAND: ".
[[nodiscard]] std::string about_of(const OptionInfo& option, std::string_view command = "");
/// One that there is.
[[nodiscard]] const CommandInfo& command_named(std::string_view word);
/// Whether the command takes the option.
[[nodiscard]] bool takes(std::string_view command, const OptionInfo& option);
/// Throws RequestError for an option that has no effect in this use of the command (IdleOptions::use).
void refuse_idle_options(const Words& words, std::string_view use);
/// Throws RequestError for an option that has no effect beside another one of the words.
void refuse_idle_options(const Words& words);
/// Throws RequestError where two options would write the same file, of which only the last would be left.
void refuse_one_file_for_two_options(const Words& words);

}  // namespace kport::requests
