#include "app/cli/commands.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/replace.hpp>

#include "algorithms/catalogue.hpp"
#include "app/cli/output.hpp"
#include "app/requests/command_table.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/topology/family.hpp"

namespace kport::cli {

namespace {

// ---- the manual page -------------------------------------------------------------------------------------------------

/// As groff reads it: a dash is a dash, and no line begins with a request.
std::string roff(std::string_view text) {
    std::string escaped;
    bool at_line = true;
    for (const char c : text) {
        if (at_line && (c == '.' || c == '\'')) escaped += "\\&";
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else
            escaped += c;
        at_line = c == '\n';
    }
    return escaped;
}

std::string entry(std::string_view name, std::string_view value, std::string_view about) {
    return fmt::format(".TP\n.B {}\n{}\n", roff(name) + (value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(value))),
                       roff(about));
}

/// The commands that take an option, for a sentence; empty if all do that have a machine.
std::string takers(const Option& option) {
    std::vector<std::string_view> names;
    for (const CommandInfo& command : all_commands())
        if (takes(command.name, option)) names.push_back(command.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// ---- completions -----------------------------------------------------------------------------------------------------

/// The words that a value or a subject may be; empty where it is free.
std::vector<std::string> words_for(std::string_view value, std::string_view name = "") {
    std::vector<std::string> words;
    if (value.starts_with("OPERATION") || name == "--operation")
        for (const Operation& operation : operations()) words.emplace_back(operation->name);
    else if (value == "LIST")
        words = {"operations", "algorithms", "topologies", "formats", "faults"};
    else if (value == "SHELL")
        words = {"bash", "zsh", "fish"};
    else if (value == "TOPOLOGY")
        for (const TopologyFamily& family : topology_families())
            words.push_back(family.form == family.name ? std::string(family.name) : fmt::format("{}:", family.name));
    else if (value == "FAULT")
        for (const FaultInfo& fault : faults()) words.emplace_back(fault.name);
    else if (name == "--algorithm")
        for (const Algorithm& algorithm : catalogue()) words.emplace_back(algorithm.name);
    std::ranges::sort(words);
    const auto [first, last] = std::ranges::unique(words);
    words.erase(first, last);
    return words;
}

std::vector<std::string> words_for(const Option& option) {
    if (option.member.choices.empty()) return words_for(option.value, option.name);
    std::vector<std::string> words;
    for (const std::string_view word : split(option.member.choices, ' ')) words.emplace_back(word);
    return words;
}

/// Whether the value, or the subject, may be the path of a file.
bool is_path(std::string_view value) { return value.starts_with("FILE") || value == "TOPOLOGY"; }

std::vector<std::string_view> options_of(const CommandInfo& command) {
    std::vector<std::string_view> names;
    for (const Option& option : all_options()) {
        if (!takes(command.name, option)) continue;
        names.push_back(option.name);
        if (!option.alias.empty()) names.push_back(option.alias);
    }
    names.emplace_back("--help");
    return names;
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    for (const CommandInfo& command : all_commands()) names.push_back(command.name);
    return names;
}

std::string bash_completion() {
    std::string values;
    for (const Option& option : all_options()) {
        if (option.value.empty()) continue;
        const std::string names =
            option.alias.empty() ? std::string(option.name) : fmt::format("{}|{}", option.name, option.alias);
        const std::vector<std::string> words = words_for(option);
        const std::string no_space = option.value == "TOPOLOGY" ? "compopt -o nospace; " : "";
        const std::string_view files = is_path(option.value) ? " -f" : "";
        if (option.name == "--algorithm") continue;  // those of the operation, if it is there
        values += fmt::format("        {}) {}mapfile -t COMPREPLY < <(compgen -W '{}'{} -- \"$now\"); return ;;\n",
                              names, no_space, fmt::join(words, " "), files);
    }
    std::string algorithms;
    for (const Operation& operation : operations()) {
        std::vector<std::string_view> own;
        for (const Algorithm& row : catalogue())
            if (row.operation == operation) own.push_back(row.name);
        algorithms += fmt::format("            *' {} '*) words='{}' ;;\n", operation->name, fmt::join(own, " "));
    }
    std::string commands;
    for (const CommandInfo& command : all_commands())
        commands +=
            fmt::format("        {}) words='{} {}'{} ;;\n", command.name, fmt::join(words_for(command.subject), " "),
                        fmt::join(options_of(command), " "), is_path(command.subject) ? " files=-f" : "");
    return fmt::format(
        "# kport's completion for bash: source it, or put it where bash-completion looks.\n"
        "_kport() {{\n"
        "    local now=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words files=\n"
        "    case $before in\n{}    esac\n"
        "    if [[ $before == --algorithm ]]; then\n"
        "        case \" ${{COMP_WORDS[*]}} \" in\n{}            *) words='{}' ;;\n        esac\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$now\")\n"
        "        return\n"
        "    fi\n"
        "    case ${{COMP_WORDS[1]}} in\n{}        *) words='' ;;\n    esac\n"
        "    ((COMP_CWORD > 1)) || words='{} --help --version'\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" $files -- \"$now\")\n"
        "}}\n"
        "complete -F _kport kport\n",
        values, algorithms, fmt::join(words_for("", "--algorithm"), " "), commands, fmt::join(command_names(), " "));
}

/// Inside of '...[...]:...' of zsh's _arguments.
std::string for_zsh(std::string_view text) {
    std::string escaped(text);
    for (const char* sign : {"\\", "[", "]", ":"}) boost::replace_all(escaped, sign, std::string("\\") + sign);
    boost::replace_all(escaped, "'", "'\\''");
    return escaped;
}

/// "NAME:(words)", with files beside them where the value may be a path.
std::string zsh_value(std::string_view name, const std::vector<std::string>& words) {
    const std::string all = for_zsh(fmt::format("{}", fmt::join(words, " ")));
    if (!is_path(name)) return fmt::format("{}:({})", for_zsh(name), all);
    return words.empty() ? fmt::format("{}:_files", for_zsh(name))
                         : fmt::format("{}:{{compadd -S \"\" -- {}; _files}}", for_zsh(name), all);
}

std::string zsh_completion() {
    std::string described;
    std::string commands;
    for (const CommandInfo& command : all_commands()) {
        described += fmt::format("        '{}:{}'\n", command.name, for_zsh(command.about));
        std::string arguments;
        for (const Option& option : all_options()) {
            if (!takes(command.name, option)) continue;
            const std::string value = option.value.empty() ? "" : ":" + zsh_value(option.value, words_for(option));
            arguments += fmt::format(" \\\n                '{}[{}]{}'", option.name,
                                     for_zsh(about_of(option, command.name)), value);
        }
        if (!command.subject.empty())
            arguments +=
                fmt::format(" \\\n                '1:{}'", zsh_value(command.subject, words_for(command.subject)));
        if (is_path(command.of)) arguments += fmt::format(" \\\n                '2:{}'", zsh_value(command.of, {}));
        commands +=
            fmt::format("        {})\n            _arguments '--help[this help]'{} ;;\n", command.name, arguments);
    }
    return fmt::format(
        "#compdef kport\n"
        "local -a commands=(\n{}    )\n"
        "if ((CURRENT == 2)); then\n    _describe 'command' commands\n    return\nfi\n"
        "local command=${{words[2]}}\n"
        "shift words\n((CURRENT--))\n"
        "case $command in\n{}esac\n",
        described, commands);
}

std::string fish_completion() {
    const auto quote = [](std::string_view text) {
        std::string escaped(text);
        boost::replace_all(escaped, "\\", "\\\\");
        boost::replace_all(escaped, "'", "\\'");
        return fmt::format("'{}'", escaped);
    };
    std::string script = "complete -c kport -f\n";
    for (const CommandInfo& command : all_commands()) {
        script +=
            fmt::format("complete -c kport -n __fish_use_subcommand -a {} -d {}\n", command.name, quote(command.about));
        if (const auto words = words_for(command.subject); !words.empty())
            script +=
                fmt::format("complete -c kport -n '__fish_seen_subcommand_from {}'{} -a {}\n", command.name,
                            is_path(command.subject) ? " -F" : "", quote(fmt::format("{}", fmt::join(words, " "))));
    }
    for (const Option& option : all_options()) {
        std::string commands = takers(option);
        boost::replace_all(commands, ",", "");
        const auto words = words_for(option);
        script += fmt::format(
            "complete -c kport -n '__fish_seen_subcommand_from {}' -l {}{}{}{} -d {}\n", commands,
            option.name.substr(2), option.alias.empty() ? "" : fmt::format(" -l {}", option.alias.substr(2)),
            option.value.empty()    ? ""
            : is_path(option.value) ? " -r -F"
                                    : " -x",
            words.empty() ? "" : " -a " + quote(fmt::format("{}", fmt::join(words, " "))), quote(about_of(option)));
    }
    return script;
}

}  // namespace

std::string manual_page() {
    std::string commands;
    std::string examples;
    for (const CommandInfo& command : all_commands()) {
        commands += entry(fmt::format("kport {}", command.name), command.subject, fmt::format("{}.", command.about));
        examples += fmt::format(".PP\n.EX\n{}\n.EE\n", roff(command.example));
    }
    std::string options;
    for (const Option& option : all_options())
        options +=
            entry(option.alias.empty() ? std::string(option.name) : fmt::format("{}, {}", option.name, option.alias),
                  option.value, fmt::format("{}.\nTaken by {}.", about_of(option), takers(option)));
    return fmt::format(
        ".TH KPORT 1 \"\" \"kport {}\" \"User Commands\"\n"
        ".SH NAME\nkport \\- an emulator of k\\-port message\\-passing machines\n"
        ".SH SYNOPSIS\n.B kport\n.I COMMAND\n[\\fIOPERATION\\fR] [\\fIoptions\\fR]\n"
        ".SH DESCRIPTION\nkport runs collective operations on virtual nodes with 1, k or all ports, audits every "
        "message against the "
        "machine's rules, and reports the cost beside the lower bounds.\n"
        ".SH COMMANDS\n{}.SH OPTIONS\n{}"
        ".SH EXIT STATUS\n.TP\n.B 0\nall rules kept and everything delivered\n.TP\n.B 1\na rule broken, or not "
        "everything delivered\n"
        ".TP\n.B 2\nthe request is wrong\n.TP\n.B 3\nthe machine does not fit\n.TP\n.B 4\nstopped before a verdict, or "
        "something could not be judged\n"
        ".SH EXAMPLES\n{}",
        KPORT_VERSION, commands, options, examples);
}

std::string completion_for(std::string_view shell) {
    if (shell == "bash") return bash_completion();
    if (shell == "zsh") return zsh_completion();
    if (shell == "fish") return fish_completion();
    throw RequestError(fmt::format("kport completion writes for bash, zsh or fish, not for {}", quoted(shell)));
}

int manual(const Words&) {
    write_out(manual_page());
    return status_lawful;
}

int completion(const Words& words) {
    if (!words.subject) throw RequestError("kport completion needs a shell: bash, zsh or fish");
    write_out(completion_for(*words.subject));
    return status_lawful;
}

}  // namespace kport::cli
