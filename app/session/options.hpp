/// @file options.hpp   The options of the program: what each says, which commands take it, which member of an Experiment it fills.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/session/experiment.hpp"

namespace kport {

/// What an option is about: help shows them in groups, in this order.
enum class OptionGroup : std::uint8_t { machine, graph, algorithm, payload, prices, run, output };
[[nodiscard]] std::string_view name(OptionGroup group);

/// The words of an option's value: one; all up to the next option, with spaces between them; one that may be left out, and is
/// empty then; one, and the option may be repeated, which puts commas between the words.
enum class OptionWords : std::uint8_t { one, many, at_most_one, repeated };

/// The value of an option, and the name of the option for messages.
struct TypedValue {
    std::string_view option;
    std::string_view text;
};

/// The member of an Experiment that an option fills.
struct OptionMember {
    std::string_view choices = "";    ///< the values that it may have, or the usual ones; empty where they are many
    std::string_view in_errors = "";  ///< the library's errors call it so: "packet_bytes"; empty: there are none
    std::string_view in_names = "";   ///< names of benchmarks show it so: "arity:{}"; empty: they do not
    /// Puts the value into the experiment, which has its operation and topology. Throws RequestError. Null: the command reads it.
    void (*read)(Experiment& experiment, const TypedValue& value) = nullptr;
    /// The value as one types it in a shell, of a flag any text; empty where a run without the option does the same. Null: it is not
    /// of a run.
    std::string (*text)(const Experiment& experiment) = nullptr;
};

/// One option. Help, errors, completions, the manual page, again() and the names of benchmarks follow from its row.
struct Option {
    OptionGroup group;
    std::string_view name;
    std::string_view value;      ///< a word for it in help; empty: a flag, which has none
    std::string_view about;      ///< parts between '|'; one that begins with "COMMAND: " is for that command
    std::string_view only = "";  ///< the commands that take it; empty: all that run an operation
    OptionMember member = {};
    OptionWords words = OptionWords::one;
    std::string_view alias = "";
};

/// All options, by group.
[[nodiscard]] std::span<const Option> all_options();

/// What names of benchmarks say of an experiment besides operation, topology, ports and bytes: "/half-duplex/packets:4".
[[nodiscard]] std::string particulars(const Experiment& experiment);

}  // namespace kport
