/// @file command_table.hpp   Every command of the program, which options it takes, where they have no effect, and what an unknown one may mean.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/requests/command_line.hpp"
#include "app/session/options.hpp"

namespace kport::requests {

/// A command as the user knows it.
struct CommandInfo {
    std::string_view name;
    std::string_view about;
    std::string_view example;
    std::string_view more = "";
    std::string_view subject = "OPERATION";  ///< the word after the command; empty: there is none
    std::string_view of = "";                ///< a second word that may follow the subject; empty: there is none
    std::string_view of_about = "";          ///< what it is
    std::string_view options =
        "";  ///< the only ones that it takes, by name or by group (name(OptionGroup)); empty: all but those of other commands
};

/// Options that a command takes and that have no effect in one of its uses: there they are refused.
struct IdleOptions {
    std::string_view commands;
    std::string_view use;  ///< an option beside which they are idle; or what the command is given: "FILE", "TOPOLOGY",
                           ///< "SEQUENCE"
    std::string_view options;  ///< by name or by group
    std::string_view why;      ///< "a schedule in a file is shown, and nothing runs"
};
[[nodiscard]] std::span<const IdleOptions> all_idle_options();

[[nodiscard]] std::vector<std::string_view> options_of(const IdleOptions& row);

/// In the order in which help shows them.
[[nodiscard]] std::span<const CommandInfo> all_commands();

/// By name or alias, such as "--on"; null if there is none.
[[nodiscard]] const Option* option_named(std::string_view word);
/// What help of the command says of the option; of no command: what it says of all, as "COMMAND: ".
[[nodiscard]] std::string about_of(const Option& option, std::string_view command = "");
/// One that there is.
[[nodiscard]] const CommandInfo& command_named(std::string_view word);
/// Whether the command takes the option.
[[nodiscard]] bool takes(std::string_view command, const Option& option);
/// The options of the group among the words as they are typed, with a blank before each; empty where there are none.
[[nodiscard]] std::string as_typed(const Words& words, OptionGroup group);
/// Returns the command that was given.
[[nodiscard]] std::string command_as_typed(const Words& words);
/// Whether a recorded schedule says the option, by which it is judged as its run was: rules and prices of the machine, how its graph
/// file is read, the size of packets. Topology and operation stand in the schedule itself.
[[nodiscard]] bool is_recorded(const Option& option);
/// Returns the recorded options among the words: `--ports 2 --slow "0--1=4"`.
[[nodiscard]] std::string recorded_options(const Words& words);
/// Returns the words with what recorded_options() says and they do not. Throws RequestError for anything else.
[[nodiscard]] Words with_recorded(Words words, const std::string& options);
/// Throws RequestError for an option that has no effect in this use of the command (IdleOptions::use).
void refuse_idle_options(const Words& words, std::string_view use);
/// Throws RequestError for an option that has no effect beside another one of the words.
void refuse_idle_options(const Words& words);
/// Throws RequestError where two options would write the same file, of which only the last would be left.
void refuse_one_file_for_two_options(const Words& words);

/// Throws RequestError with the option that the word names in other programs, whose value it is, or that is nearest to it; of an
/// option of other commands, with these. `words` are those that were read so far.
[[noreturn]] void refuse_unknown_option(const Words& words, std::string_view word);

}  // namespace kport::requests
