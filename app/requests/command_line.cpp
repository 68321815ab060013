#include "app/requests/command_line.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <boost/algorithm/string/replace.hpp>

#include "algorithms/catalogue.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/schedule/operation.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

constexpr int words_max = 1 << 20;

std::vector<std::string_view> command_words() {
    std::vector<std::string_view> words;
    for (const CommandInfo& command : all_commands()) words.push_back(command.name);
    return words;
}

/// What CLI11 reads too leniently: "--json=1", "--ports=".
void check_equal_signs(std::span<const char* const> arguments) {
    for (const std::string_view word : arguments) {
        if (word == "--")
            throw RequestError("'--' has no meaning here: every word that starts with a dash is an option");
        const std::size_t equal = word.find('=');
        if (!word.starts_with("--") || equal == std::string_view::npos) continue;
        if (const std::string_view name = word.substr(0, equal); name == "--help" || name == "--version")
            throw RequestError(fmt::format("{} takes no value, but {} gives one", name, quoted(word)));
        const Option* option = option_named(word.substr(0, equal));
        if (option == nullptr) continue;
        if (option->value.empty())
            throw RequestError(fmt::format("{} takes no value, but {} gives one", option->name, quoted(word)));
        if (equal + 1 == word.size())
            throw RequestError(fmt::format("{} needs a value: {} {}", option->name, option->name, option->value));
    }
}

/// CLI11 takes the next option for the value that is missing.
void refuse_option_as_value(const Option& option, std::string_view given) {
    if (given.starts_with("--"))
        throw RequestError(
            fmt::format("{} needs a value before {}: {} {}", option.name, quoted(given), option.name, option.value));
}

/// The texts that an option was given become the one that it has.
void keep_value(Words& words, const Option& option, const std::vector<std::string>& given) {
    const bool repeats = option.name == "--source" && words.command == "search";  // which may have several
    const bool is_list = option.words == OptionWords::repeated;
    if (given.size() > 1 && option.words != OptionWords::many && !repeats && !is_list)
        throw RequestError(option.value.empty() ? fmt::format("{} is given {} times", option.name, given.size())
                                                : fmt::format("{} is given {} times: {} and {}", option.name,
                                                              given.size(), quoted(given[0]), quoted(given[1])));
    if (given.front().empty() && !option.value.empty() && option.words != OptionWords::at_most_one)
        throw RequestError(fmt::format("{0} is empty: {0} {1}", option.name, option.value));
    words.values[std::string(option.name)] = fmt::format("{}", fmt::join(given, repeats ? ";" : is_list ? "," : " "));
}

/// Help as CLI11 writes it, but for the line that says how a command is called, in lines that fit standard output.
class Help final : public CLI::Formatter {
  public:
    explicit Help(std::size_t width) : width_(width) { column_width(name_columns); }
    std::string make_description(const CLI::App* app) const override {
        return wrapped(app->get_description() + "\n", 0, width_);
    }
    std::string make_usage(const CLI::App* app, std::string) const override {
        constexpr std::size_t hang = 13;
        return wrapped(usage(app), hang, width_);
    }
    /// Below the usage, which names them, without a heading.
    std::string make_positionals(const CLI::App* app) const override {
        const std::string group = CLI::Formatter::make_positionals(app);
        const std::size_t heading = group.find(":\n");
        return heading == std::string::npos ? group : group.substr(heading + 2);
    }
    /// Without an empty line before what stands below the options: the help of `run` fills a screen.
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
        const std::string below = "\n\n" + make_footer(app);
        if (app->get_parent() != nullptr && text.ends_with(below)) text.erase(text.size() - below.size(), 1);
        return text;
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return beside_a_name(option->get_description());
    }
    std::string make_subcommand(const CLI::App* sub) const override {
        std::ostringstream out;
        CLI::detail::format_help(out, sub->get_name(), beside_a_name(sub->get_description()), column_width_);
        return out.str();
    }
    std::string make_footer(const CLI::App* app) const override {
        if (app->get_parent() == nullptr) return wrapped(app->get_footer() + "\n", 0, width_);
        const CommandInfo& command = command_named(app->get_name());
        return wrapped(command.more, 0, width_) + fmt::format("Example: {}\n", command.example);
    }

  private:
    static constexpr std::size_t name_columns = 24;
    std::size_t width_;

    /// CLI11 indents each line.
    [[nodiscard]] std::string beside_a_name(const std::string& text) const {
        return wrapped(text, 0, width_ - column_width_);
    }
    [[nodiscard]] static std::string usage(const CLI::App* app) {
        const std::string& name = app->get_name();
        if (app->get_parent() == nullptr) return "usage: kport COMMAND [options]\n";
        if (name == "list") return "usage: kport list [LIST [OPERATION]] [--json]\n";
        if (name == "show")
            return "usage: kport show OPERATION --on TOPOLOGY [options]\n       kport show FILE OPERATION [options]\n";
        if (name == "completion") return "usage: kport completion SHELL\n";
        if (name == "new") return "usage: kport new OPERATION [FILE.cpp]\n       kport new exercise [NAME]\n";
        if (name == "grade")
            return "usage: kport grade EXERCISE HANDINS [options]\n       kport grade EXERCISE --try [options]\n";
        if (name == "lab") return "usage: kport lab [options]\n";
        if (name == "manual") return "usage: kport manual\n";
        if (name == "info") return "usage: kport info TOPOLOGY [--broken PARTS] [--picture [FILE]] [--json]\n";
        if (name == "check") return "usage: kport check FILE|FOLDER [OPERATION] [--on TOPOLOGY] [options]\n";
        if (name == "convert") return "usage: kport convert TOPOLOGY|SCHEDULE [FILE] [--to FORMAT] [options]\n";
        if (name == "chip") return "usage: kport chip [--threads N] [--json]\n";
        if (name == "stress")
            return "usage: kport stress [--for TIME] [--cases N] [--operation NAME [--algorithm NAME]] [options]\n";
        return fmt::format("usage: kport {} OPERATION --on TOPOLOGY{} [options]\n", name,
                           name == "compare" || name == "bench" ? " | --sweep TOPOLOGIES" : "");
    }
};

}  // namespace

/// The parser and where it puts what it reads.
class CommandLineReader::Parser {
  public:
    explicit Parser(std::size_t width) : width_(width) {
        app_.formatter(std::make_shared<Help>(width_));
        app_.set_help_flag("-h,--help", "this help");
        app_.set_version_flag("--version,-V,-v", "kport " KPORT_VERSION);
        app_.require_subcommand(0, 1);
        app_.allow_extras();
        app_.footer(
            "'kport COMMAND --help' says more. Exit status: 0 all rules kept and everything delivered, 1 a rule "
            "broken or something not delivered, 2 the request is wrong, 3 the machine does not fit or its nodes cannot "
            "reach each other, 4 stopped before a "
            "verdict, or something could not be judged.");
        for (const CommandInfo& command : all_commands()) add(command);
    }

    [[nodiscard]] Words read(int argc, const char* const* argv) {
        app_.clear();  // of the line before
        given_.clear();
        note_aliases({argv, static_cast<std::size_t>(argc)});
        check_equal_signs({argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0))});
        std::vector<const char*> line(argv, argv + argc);
        ask_for_help_as_an_option(line);
        add_options_of_commands(line);
        if (line.size() <= 1) return first_commands();
        try {
            app_.parse(static_cast<int>(line.size()), line.data());
        } catch (const CLI::CallForHelp&) {
            return help();
        } catch (const CLI::CallForVersion& version) {
            Words words;
            words.help = fmt::format("{}\n", version.what());
            return words;
        } catch (const CLI::ArgumentMismatch&) {
            refuse_missing_value(line.back());
        } catch (const CLI::ParseError& error) {
            throw RequestError(error.what());
        }
        return collect();
    }

  private:
    void add(const CommandInfo& command) {
        CLI::App* sub = app_.add_subcommand(std::string(command.name), std::string(command.about));
        sub->allow_extras();
        sub->set_help_flag("-h,--help", "this help")->group("");
        sub->formatter(std::make_shared<Help>(width_));
        if (!command.subject.empty())
            sub->add_option(std::string(command.subject), subject_,
                            command.subject == "SHELL"            ? "bash, zsh or fish"
                            : command.subject == "OPERATION|FILE" ? "broadcast, scatter, ..., or a file with a schedule"
                            : command.subject == "FILE"
                                ? "a schedule: JSON, text, CSV, GOAL, MSCCL, SCCL or SimGrid; or an algorithm, mine.cpp"
                            : command.subject == "TOPOLOGY"
                                ? "hypercube:10, mesh:4x5, a file, ... (kport list topologies)"
                            : command.subject == "EXERCISE"
                                ? "a JSON file: what is asked, on which machines, for how many points"
                            : command.subject == "LIST"
                                ? "operations, algorithms, topologies, formats or faults; all when left out"
                            : command.name == "run" ? "broadcast, ... (kport list operations); sequence FILE"
                                                    : "broadcast, scatter, ... (kport list operations)")
                ->option_text(" ");
        if (!command.of.empty())
            sub->add_option(std::string(command.of), of_, std::string(command.of_about))->option_text(" ");
    }

    /// Adds the options of the commands that the line names, usually one: setting up those of all takes longer than a small run.
    void add_options_of_commands(std::span<const char* const> line) {
        for (const CommandInfo& command : all_commands()) {
            const bool is_named = std::ranges::find(line, command.name) != line.end();
            if (!is_named || !has_options_.insert(command.name).second) continue;
            CLI::App* sub = app_.get_subcommand(std::string(command.name));
            for (const Option& option : all_options())
                if (takes(command.name, option)) add(*sub, option);
        }
    }

    void add(CLI::App& sub, const Option& option) {
        const auto keep = [this, &option](const CLI::results_t& given) {
            std::vector<std::string>& all = given_[&option];
            all.insert(all.end(), given.begin(), given.end());
            return true;
        };
        const std::string names =
            option.alias.empty() ? std::string(option.name) : fmt::format("{},{}", option.name, option.alias);
        CLI::Option* added = sub.add_option(names, keep, about_of(option, sub.get_name()));
        // Help of the commands that describe graphs has these; other commands take them, too.
        const bool shows = option.group != OptionGroup::graph || command_named(sub.get_name()).subject == "TOPOLOGY";
        added->group(shows ? std::string(name(option.group)) : "");
        added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        if (option.value.empty())
            added->expected(0)->option_text(" ");
        else
            added
                ->expected(option.words == OptionWords::at_most_one ? 0 : 1,
                           option.words == OptionWords::many ? words_max : 1)
                ->allow_extra_args(option.words == OptionWords::many)
                ->option_text(std::string(option.value));
    }

    /// CLI11 does not tell by which of its names an option was given.
    void note_aliases(std::span<const char* const> line) {
        aliases_.clear();
        for (const Option& option : all_options())
            for (const std::string_view word : line)
                if (!option.alias.empty() && word.substr(0, word.find('=')) == option.alias)
                    aliases_[std::string(option.name)] = option.alias;
    }

    /// `help run` and `run help` are `run --help`, `version` is `--version`.
    static void ask_for_help_as_an_option(std::vector<const char*>& line) {
        const auto is = [&](std::size_t i, std::string_view word) { return line.size() > i && line[i] == word; };
        const auto is_command = [&](std::size_t i) {
            return line.size() > i &&
                   std::ranges::any_of(all_commands(), [&](const CommandInfo& c) { return c.name == line[i]; });
        };
        if (line.size() == 2 && is(1, "version")) line[1] = "--version";
        if (line.size() == 2 && is(1, "help")) line[1] = "--help";
        if (is(1, "help")) {
            line.erase(line.begin() + 1);
            if (is(1, "help")) line.erase(line.begin() + 1);
            if (is_command(1)) line = {line[0], line[1], "--help"};
        }
        if (line.size() == 3 && is(2, "help") && is_command(1)) line[2] = "--help";
    }

    [[nodiscard]] static Words first_commands() {
        Words words;
        words.help =
            "kport runs collective operations on an emulated message-passing machine, audits\n"
            "every message, and reports the cost beside the proven lower bounds. Try:\n\n"
            "  kport run broadcast --on hypercube:10       a run, judged, beside the bounds\n"
            "  kport compare allreduce --on ring:64        every algorithm that applies\n"
            "  kport show broadcast --on mesh:4x4          who sends what to whom\n"
            "  kport explain scatter --on torus:4x4        where bounds and costs come from\n"
            "  kport search broadcast --on petersen        the fewest rounds, and why\n"
            "  kport new broadcast mine.cpp                an algorithm of your own\n\n"
            "'kport --help' names all commands, 'kport COMMAND --help' its options.\n";
        return words;
    }
    [[nodiscard]] Words help() {
        Words words;
        words.help = boost::algorithm::replace_all_copy(app_.help(), "\n\n\n", "\n");  // a screen of 60 lines
        boost::algorithm::replace_first(words.help, "\n\nMachine:", "\nMachine:");
        return words;
    }

    [[noreturn]] static void refuse_missing_value(std::string_view word) {
        const Option* option = option_named(word);
        throw RequestError(option == nullptr ? fmt::format("{} is not understood", quoted(word))
                                             : fmt::format("{0} needs a value: {0} {1}", word, option->value));
    }

    [[nodiscard]] Words collect() {
        refuse_left_over_before_command();
        Words words;
        const CLI::App* sub = app_.get_subcommands().front();
        words.command = sub->get_name();
        std::vector<std::string> left = sub->remaining();
        const auto read = [&](std::string_view name, const std::string& word, std::optional<std::string>& into) {
            if (!name.empty() && sub->get_option(std::string(name))->count() > 0) into = word;
        };
        read(command_named(words.command).subject, subject_, words.subject);
        if (!words.subject && !command_named(words.command).subject.empty()) words.subject = taken_by_an_option();
        read(command_named(words.command).of, of_, words.of);
        if (words.command == "run" && asks_for_sequence(words) && !left.empty() &&
            (left.front() == "-" || !left.front().starts_with("-"))) {
            words.of = left.front();
            left.erase(left.begin());
        }
        for (const std::string& word : left)
            if (word.starts_with("-")) refuse_unknown_option(words, word);
        for (const auto& [option, given] : given_) refuse_option_as_value(*option, given.front());
        if (!left.empty())
            throw RequestError(fmt::format("unexpected {} after {}{}", quoted(left.front()),
                                           quoted(words.of.value_or(words.subject.value_or(words.command))),
                                           what_was_meant(words.command, left)));
        for (const auto& [option, given] : given_) keep_value(words, *option, given);
        words.aliases = aliases_;
        refuse_idle_options(words);
        refuse_one_file_for_two_options(words);
        return words;
    }

    /// An option that may stand alone takes the word behind it: in `run --picture broadcast` that of the command.
    [[nodiscard]] std::optional<std::string> taken_by_an_option() {
        for (auto& [option, given] : given_)
            if (option->words == OptionWords::at_most_one && !given.front().empty() &&
                given.front().find_first_of("./-") != 0)
                return std::exchange(given.front(), "");
        return std::nullopt;
    }

    /// A machine after the operation usually means a missing or repeated --on; `--on ring 8` and `--bytes 1 MB` are values cut in
    /// two.
    [[nodiscard]] std::string what_was_meant(std::string_view command, const std::vector<std::string>& left) const {
        const std::string& word = left.front();
        if (const Option* values = option_named("--values"); given_.contains(values))
            return fmt::format("; values are one word: --values {},{},...", given_.at(values).front(), word);
        if (command == "stress" && is_operation(word)) return fmt::format("; want --operation {}", word);
        const Option& on = *option_named("--on");
        for (const auto& [option, given] : given_)
            if (given.size() == 1 && option->words != OptionWords::many &&
                cut_in_two(option->name, given.front(), word))
                return fmt::format("; a value is one word: {} {}", option->name,
                                   option == &on ? topology_of(given.front(), left) : given.front() + word);
        if (option_named("--" + word) != nullptr) return fmt::format("; want --{}", word);
        if (!begins_as_topology(word) || !takes(command, on)) return "";
        return given_.contains(&on) ? "; many machines are for 'kport compare OPERATION --sweep'"
                                    : fmt::format("; want --on {}", quoted(word));
    }

    static bool is_operation(std::string_view word) {
        return std::ranges::any_of(operations(), [&](const Operation& operation) { return operation->name == word; });
    }

    static bool cut_in_two(std::string_view option, std::string_view value, std::string_view word) {
        if (value.empty() || word.empty()) return false;
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const bool sides = value.starts_with("mesh:") || value.starts_with("torus:");
        if (option == "--on" && sides && word == "x") return true;
        if (option == "--on") return (sides || value.find(':') == std::string_view::npos) && is_digit(word.front());
        return option == "--bytes" && is_digit(value.back()) && word.size() <= 3 && !is_digit(word.front());
    }

    /// "torus:4x5" of "torus" and "4", "5", or of "torus:4" and "5".
    static std::string topology_of(const std::string& begun, const std::vector<std::string>& left) {
        std::string spec = begun;
        for (const std::string& word : left) {
            if (word == "x") continue;
            if (word.find_first_not_of("0123456789x") != std::string::npos) break;
            spec += (spec.find(':') == std::string::npos ? ":" : "x") + word;
        }
        return spec;
    }

    /// "; did you mean 'kport run broadcast'?" for `kport broadcast`; the nearest command for others.
    [[nodiscard]] static std::string command_meant(std::string_view word) {
        std::vector<std::string_view> names;
        for (const Operation& operation : operations()) names.push_back(operation->name);
        if (const std::string_view operation = meant_by(word, names); !operation.empty())
            return fmt::format("; did you mean 'kport run {}'?", operation);
        for (const std::string_view list : {"operations", "algorithms", "topologies", "formats", "faults"})
            if (word == list) return fmt::format("; did you mean 'kport list {}'?", list);
        for (const Algorithm& row : catalogue())
            if (row.name == word)
                return fmt::format("; did you mean 'kport run {} --algorithm {}'?", name(row.operation), row.name);
        const std::vector<std::string_view> words = command_words();
        return did_you_mean(word, words);
    }

    void refuse_left_over_before_command() {
        const std::vector<std::string> left = app_.remaining();
        if (left.empty() && !app_.get_subcommands().empty()) return;
        const std::string word = left.empty() ? "" : left.front();
        const std::vector<std::string_view> names = command_words();
        if (option_named(word.substr(0, word.find('='))) != nullptr)
            throw RequestError(
                fmt::format("{} stands before the command; first one of {}", quoted(word), fmt::join(names, ", ")));
        constexpr std::array<std::string_view, 2> own_options = {"--help", "--version"};
        const bool is_option = word.starts_with("-");
        throw RequestError(fmt::format("unknown {} {}{} ('kport --help' shows all)", is_option ? "option" : "command",
                                       quoted(word),
                                       is_option ? did_you_mean(word, own_options) : command_meant(word)));
    }

    std::size_t width_;
    CLI::App app_{
        "An emulator of k-port message passing machines: runs collective operations on virtual nodes, "
        "audits every message against the machine's rules, and reports the cost beside the lower bounds.",
        "kport"};
    std::string subject_;
    std::string of_;
    std::map<const Option*, std::vector<std::string>> given_;
    std::map<std::string, std::string> aliases_;
    std::set<std::string_view> has_options_;  ///< the commands that know their options
};

CommandLineReader::CommandLineReader(std::size_t width) : parser_(std::make_unique<Parser>(width)) {}
CommandLineReader::~CommandLineReader() = default;

Words CommandLineReader::read(int argc, const char* const* argv) { return parser_->read(argc, argv); }

std::optional<std::string> Words::get(const std::string& option) const {
    const auto found = values.find(option);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string Words::typed(const std::string& option) const {
    const auto alias = aliases.find(option);
    return alias == aliases.end() ? option : alias->second;
}

bool asks_for_sequence(const Words& words) {
    return words.subject && same_but_for_signs(*words.subject, word_of_sequences);
}

bool is_algorithm_file(std::string_view name) { return name.find_first_of("./") != std::string_view::npos; }

Words read_command_line(int argc, const char* const* argv, std::size_t width) {
    return CommandLineReader(width).read(argc, argv);
}

}  // namespace kport::requests
