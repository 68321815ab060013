#include "cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <boost/algorithm/string/predicate.hpp>

#include "algorithms/catalogue.hpp"
#include "cli/output.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/wrapped.hpp"
#include "emulator/schedule/operation.hpp"

namespace kport::cli {

/// An option as the user knows it. `value` is empty for a flag; `only` are the commands that take it, empty for all.
struct OptionInfo {
    std::string_view name;
    std::string_view alias;
    std::string_view value;
    std::string_view about;
    std::string_view only = "";
    bool many_words = false;       ///< its value is all words up to the next option, with spaces between them
    bool may_stand_alone = false;  ///< its value may be left out, and is empty then
};

namespace {

/// The commands that run something once, or say what it costs.
constexpr std::string_view untimed = "run compare bounds explain";

constexpr std::array all_options = {
    OptionInfo{"--on", "", "TOPOLOGY", "the machine's graph: hypercube:10, mesh:4x5, ... (kport list topologies)"},
    OptionInfo{"--sweep", "", "TOPOLOGIES", "many machines: 'hypercube:{2..16}' 'line:{9,17,33}' 'mesh:{4,8}x{}'",
               "compare bench", true},
    OptionInfo{"--algorithm", "", "NAME", "default: the best that applies (kport list algorithms)"},
    OptionInfo{"--ports", "", "K", "1 (default), 2, 3, ... or all"},
    OptionInfo{"--duplex", "", "MODE", "full (default): sends and receives are limited separately; half: together"},
    OptionInfo{"--links", "", "MODE", "full (default): both directions of a link at once; half: one a round"},
    OptionInfo{"--pairwise", "", "", "a node has at most one partner a round, to send to and to receive from"},
    OptionInfo{"--noho", "", "MODE",
               "wide (default): no node receives what it sends in this round or before; strict: only before"},
    OptionInfo{"--switching", "", "MODE", "sf (default): store-and-forward; wh: wormhole"},
    OptionInfo{"--combining", "", "MODE", "on (default): a message may hold many packets; off: one"},
    OptionInfo{"--source", "--root", "NODE", "0 (default); an id, or i,j,... on meshes and tori"},
    OptionInfo{"--bytes", "", "SIZE", "64 (default): one packet's payload; suffixes B KiB MiB GiB"},
    OptionInfo{"--payload", "", "MODE", "copy (default): bytes move and are checked; none: sizes are counted", untimed},
    OptionInfo{"--ts", "", "X", "1 (default): cost of a startup", untimed},
    OptionInfo{"--td", "", "X", "0 (default): cost of a hop", untimed},
    OptionInfo{"--tm", "", "X", "0.001 (default): cost of a byte", untimed},
    OptionInfo{"--policy", "", "MODE", "queue (default): sends beyond the port limit wait; strict: violation"},
    OptionInfo{"--keep", "", "PART", "rda-product: smaller or greater part of an odd split stays"},
    OptionInfo{"--dimensions", "", "I,J,...", "rda-product: order of the dimensions, such as 1,0"},
    OptionInfo{"--op", "", "OP", "reductions: sum (default), min, max, xor, concat"},
    OptionInfo{"--type", "", "TYPE", "reductions: int64 (default), double; concat: string"},
    OptionInfo{"--values", "", "X,Y,...",
               "reductions: what each node contributes; default: drawn by the seed, or node numbers (concat)"},
    OptionInfo{"--engine", "", "NAME",
               "lockstep (default): the exact model; free: no barriers, at the chip's full speed"},
    OptionInfo{"--threads", "", "N", "all cores (default)"},
    OptionInfo{"--seed", "", "S", "1 (default): seed of all random choices"},
    OptionInfo{"--per-round", "", "", "adds the table of rounds", untimed},
    OptionInfo{"--json", "", "", "the report as JSON on standard output, nothing else there"},
    OptionInfo{"--csv", "", "", "a line for each machine and algorithm, to be read by a program", "compare bench"},
    OptionInfo{"--inject", "", "FAULT",
               "injects a fault, once or with a probability: drop, corrupt:0.01, ... (kport list faults)",
               "run stress"},
    OptionInfo{"--max-rounds", "", "N",
               "4 million, or 64 a node if that is more (default): a run that needs more is stopped", "run compare"},
    OptionInfo{"--until", "", "ROUND", "ends the run after this round, before a verdict", "run"},
    OptionInfo{"--order", "", "S",
               "one thread; in each round, or among those with mail, nodes run in an order drawn by S", "run"},
    OptionInfo{"--partition-nodes", "", "N",
               "lockstep: neighbours by number that one thread runs, 1, 2, 4, ...; 4096 (default)", "run"},
    OptionInfo{"--operation", "", "NAME", "default: all (kport list operations)", "stress"},
    OptionInfo{"--for", "", "TIME",
               "stress: 10s (default, unless --cases is given); bench: for a cell in each start; suffixes ms s m h",
               "stress bench"},
    OptionInfo{"--cases", "", "N", "ends after so many cases", "stress"},
    OptionInfo{"--case", "", "N", "tries this case of the seed alone, such as one that failed", "stress"},
    OptionInfo{"--nodes", "", "N", "64 (default): the most nodes of a machine that is drawn", "stress"},
    OptionInfo{"--calibrated", "", "FILE",
               "the time that the model predicts at the prices that bench --calibrate found", "run", false, true},
    OptionInfo{"--calibrate", "", "FILE", "finds ts, td, tm of this chip and stores them; default: in ~/.cache/kport",
               "bench", false, true},
    OptionInfo{"--plot", "", "FILE.svg", "draws what was measured, what the model fits, and the lower bound", "bench"},
    OptionInfo{"--replay", "", "", "the recorded schedule moves the bytes: no programs, no audit", "bench"},
    OptionInfo{"--repetitions", "", "N", "of each start; default: as many as fit into a second a cell, at least 10",
               "bench"},
    OptionInfo{"--starts", "", "N", "processes that measure, one after the other: 6 (default), 1 with --repetitions",
               "bench"},
};

struct CommandInfo {
    std::string_view name;
    std::string_view about;
    std::string_view example;
    std::string_view more = "";
    std::string_view subject = "OPERATION";  ///< the word after the command; empty: there is none
    std::string_view options = "";           ///< the only ones that it takes; empty: all that are not another command's
};

constexpr std::array commands = {
    CommandInfo{"run", "run, audit, report beside the bounds", "kport run broadcast --on hypercube:10 --ports all"},
    CommandInfo{
        "compare", "every algorithm that applies, side by side", "kport compare broadcast --on mesh:8x8",
        "--ports, --switching, --combining and --keep may have several values: --ports 1,2,all. Every combination runs "
        "on every machine of --sweep, or on the one of --on.\n"},
    CommandInfo{
        "bench", "what it costs on this chip, beside memcpy and a plain loop",
        "kport bench broadcast --on hypercube:10 --bytes 8..1MiB --threads 1,2",
        "--bytes takes one size, a list (8,64,4KiB) or a range (8..16MiB: factor 2; 8..16MiB*8). --threads, --ports, "
        "--switching, --combining and --keep take lists. Every combination is a cell, on every machine of --sweep.\n"
        "--json is in the format of Google Benchmark.\n"},
    CommandInfo{
        "stress", "random machines, orders and faults, until a case fails: then the smallest machine",
        "kport stress --for 60s",
        "Each case is audited, judged again by a second auditor, replayed, and run on other engines, orders and "
        "threads, which must give the same report. Failures are shrunk to the smallest machine.\n"
        "Without --algorithm all take turns; --threads is the most that a run may have (default: 2 to 4).\n",
        "", "--operation --algorithm --inject --for --cases --case --nodes --threads --seed --json"},
    CommandInfo{"bounds", "the lower bounds alone; options of a run have no effect here",
                "kport bounds broadcast --on hypercube:40"},
    CommandInfo{"list", "names, with their requirements", "kport list algorithms", "", "LIST", "--json"},
    CommandInfo{"explain", "derives bounds and costs for your machine", "kport explain broadcast --on torus:5x5"},
    CommandInfo{"chip", "this computer: cores, caches, and what it costs to move data between them (some seconds)",
                "kport chip --threads 2",
                "One thread on each of so many cores; all that this process may use by default. 95 % intervals; ns.\n",
                "", "--threads --json"},
};

constexpr int words_max = 1 << 20;

const OptionInfo* option_named(std::string_view word) {
    const auto found = std::find_if(all_options.begin(), all_options.end(), [&](const OptionInfo& option) {
        return option.name == word || (!option.alias.empty() && option.alias == word);
    });
    return found == all_options.end() ? nullptr : &*found;
}

const CommandInfo& command_named(std::string_view word) {
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const CommandInfo& info) { return info.name == word; });
    invariant(found != commands.end(), "a command is one of the table");
    return *found;
}

/// Whether it is one of the words with spaces between them.
bool has_word(std::string_view words, std::string_view word) {
    const std::vector<std::string_view> all = split(words, ' ');
    return std::find(all.begin(), all.end(), word) != all.end();
}

bool takes(std::string_view command, const OptionInfo& option) {
    const std::string_view names = command_named(command).options;
    if (!names.empty()) return has_word(names, option.name);
    return option.only.empty() || has_word(option.only, command);
}

std::vector<std::string_view> option_words(std::string_view command) {
    std::vector<std::string_view> words;
    for (const OptionInfo& option : all_options) {
        if (!takes(command, option)) continue;
        words.push_back(option.name);
        if (!option.alias.empty()) words.push_back(option.alias);
    }
    words.emplace_back("--help");
    return words;
}

std::vector<std::string_view> command_words() {
    std::vector<std::string_view> words;
    for (const CommandInfo& command : commands) words.push_back(command.name);
    return words;
}

/// Who writes --topology means the option whose value is one, --on TOPOLOGY, if no other takes such a value.
const OptionInfo* option_by_value(std::string_view command, std::string_view word) {
    const OptionInfo* found = nullptr;
    for (const OptionInfo& option : all_options)
        if (takes(command, option) && word.starts_with("--") && boost::iequals(word.substr(2), option.value)) {
            if (found != nullptr) return nullptr;
            found = &option;
        }
    return found;
}

[[noreturn]] void refuse_unknown_option(std::string_view command, std::string_view word) {
    const std::vector<std::string_view> words = option_words(command);
    const std::string_view option = word.substr(0, word.find('='));
    if (const OptionInfo* known = option_named(option))
        throw RequestError(fmt::format("kport {} takes no {}{}{}", command, quoted(option),
                                       known->only.empty() ? "" : "; it is an option of kport ",
                                       fmt::join(split(known->only, ' '), ", ")));
    const OptionInfo* meant = option_by_value(command, option);
    throw RequestError(fmt::format(
        "unknown option {}{} ('kport {} --help' shows all)", quoted(option),
        meant == nullptr ? did_you_mean(option, words) : fmt::format("; want {} {}", meant->name, meant->value),
        command));
}

/// What CLI11 reads too leniently: "--json=1", "--ports=".
void check_equal_signs(std::span<const char* const> arguments) {
    for (const std::string_view word : arguments) {
        if (word == "--")
            throw RequestError("'--' has no meaning here: every word that starts with a dash is an option");
        const std::size_t equal = word.find('=');
        if (!word.starts_with("--") || equal == std::string_view::npos) continue;
        const OptionInfo* option = option_named(word.substr(0, equal));
        if (option == nullptr) continue;
        if (option->value.empty())
            throw RequestError(fmt::format("{} takes no value, but {} gives one", option->name, quoted(word)));
        if (equal + 1 == word.size())
            throw RequestError(fmt::format("{} needs a value: {} {}", option->name, option->name, option->value));
    }
}

/// The texts that an option was given become the one that it has.
void keep_value(Words& words, const OptionInfo& option, const std::vector<std::string>& given) {
    if (given.size() > 1 && !option.many_words)
        throw RequestError(option.value.empty() ? fmt::format("{} is given {} times", option.name, given.size())
                                                : fmt::format("{} is given {} times: {} and {}", option.name,
                                                              given.size(), quoted(given[0]), quoted(given[1])));
    if (given.front().empty() && !option.value.empty() && !option.may_stand_alone)
        throw RequestError(fmt::format("{0} is empty: {0} {1}", option.name, option.value));
    if (given.front().starts_with("--"))
        throw RequestError(fmt::format("{} needs a value before {}: {} {}", option.name, quoted(given.front()),
                                       option.name, option.value));
    words.values[std::string(option.name)] = fmt::format("{}", fmt::join(given, " "));
}

/// Help as CLI11 writes it, but for the line that says how a command is called, in lines that fit standard output.
class Help final : public CLI::Formatter {
  public:
    std::string make_description(const CLI::App* app) const override {
        return wrapped(app->get_description() + "\n", 0, width_of_stdout());
    }
    std::string make_usage(const CLI::App* app, std::string) const override {
        constexpr std::size_t hang = 13;
        return wrapped(usage(app), hang, width_of_stdout());
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
        if (app->get_parent() == nullptr) return wrapped(app->get_footer() + "\n", 0, width_of_stdout());
        const CommandInfo& command = command_named(app->get_name());
        return wrapped(command.more, 0, width_of_stdout()) + fmt::format("Example: {}\n", command.example);
    }

  private:
    /// CLI11 indents each line.
    [[nodiscard]] std::string beside_a_name(const std::string& text) const {
        return wrapped(text, 0, width_of_stdout() - column_width_);
    }
    [[nodiscard]] static std::string usage(const CLI::App* app) {
        const std::string& name = app->get_name();
        if (app->get_parent() == nullptr) return "usage: kport COMMAND [options]\n";
        if (name == "list") return "usage: kport list [LIST] [--json]\n";
        if (name == "chip") return "usage: kport chip [--threads N] [--json]\n";
        if (name == "stress")
            return "usage: kport stress [--for TIME] [--cases N] [--operation NAME [--algorithm NAME]] [options]\n";
        return fmt::format("usage: kport {} OPERATION --on TOPOLOGY [options]\n{}", name,
                           name == "compare" || name == "bench"
                               ? fmt::format("       kport {} OPERATION --sweep TOPOLOGIES [options]\n", name)
                               : "");
    }
};

}  // namespace

/// The parser and where it puts what it reads.
class CommandLineReader::Parser {
  public:
    Parser() {
        app_.formatter(std::make_shared<Help>());
        app_.set_help_flag("-h,--help", "this help");
        app_.set_version_flag("--version,-V,-v", "kport " KPORT_VERSION);
        app_.require_subcommand(0, 1);
        app_.allow_extras();
        app_.footer(
            "`kport COMMAND --help` says more. Exit status: 0 all rules kept and everything delivered, 1 not so, "
            "2 the request is wrong, 3 the machine does not fit, 4 stopped before a verdict.");
        for (const CommandInfo& command : commands) add(command);
    }

    [[nodiscard]] Words read(int argc, const char* const* argv) {
        app_.clear();  // of the line before
        given_.clear();
        check_equal_signs({argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0))});
        std::vector<const char*> line(argv, argv + argc);
        ask_for_help_as_an_option(line);
        if (line.size() <= 1) return help();
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
        sub->set_help_flag("-h,--help", "this help");
        sub->formatter(std::make_shared<Help>());
        if (!command.subject.empty())
            sub->add_option(std::string(command.subject), subject_,
                            command.subject == "LIST" ? "operations, algorithms or topologies; all when left out"
                                                      : "broadcast, scatter, ... (kport list operations)")
                ->option_text(" ");
        for (const OptionInfo& option : all_options)
            if (takes(command.name, option)) add(*sub, option);
    }

    void add(CLI::App& sub, const OptionInfo& option) {
        const auto keep = [this, &option](const CLI::results_t& given) {
            std::vector<std::string>& all = given_[&option];
            all.insert(all.end(), given.begin(), given.end());
            return true;
        };
        const std::string names =
            option.alias.empty() ? std::string(option.name) : fmt::format("{},{}", option.name, option.alias);
        CLI::Option* added = sub.add_option(names, keep, std::string(option.about));
        added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        if (option.value.empty())
            added->expected(0)->option_text(" ");
        else
            added->expected(option.may_stand_alone ? 0 : 1, option.many_words ? words_max : 1)
                ->allow_extra_args(option.many_words)
                ->option_text(std::string(option.value));
    }

    /// `help run` and `run help` are `run --help`, `version` is `--version`.
    static void ask_for_help_as_an_option(std::vector<const char*>& line) {
        const auto is = [&](std::size_t i, std::string_view word) { return line.size() > i && line[i] == word; };
        const auto is_command = [&](std::size_t i) {
            return line.size() > i &&
                   std::ranges::any_of(commands, [&](const CommandInfo& c) { return c.name == line[i]; });
        };
        if (line.size() == 2 && is(1, "version")) line[1] = "--version";
        if (is(1, "help")) {
            line.erase(line.begin() + 1);
            if (is(1, "help")) line.erase(line.begin() + 1);
            if (is_command(1)) line = {line[0], line[1], "--help"};
        }
        if (line.size() == 3 && is(2, "help") && is_command(1)) line[2] = "--help";
    }

    [[nodiscard]] Words help() {
        Words words;
        words.help = app_.help();
        return words;
    }

    [[noreturn]] static void refuse_missing_value(std::string_view word) {
        const OptionInfo* option = option_named(word);
        throw RequestError(option == nullptr ? fmt::format("{} is not understood", quoted(word))
                                             : fmt::format("{0} needs a value: {0} {1}", word, option->value));
    }

    [[nodiscard]] Words collect() {
        refuse_left_over_before_command();
        Words words;
        const CLI::App* sub = app_.get_subcommands().front();
        words.command = sub->get_name();
        const std::vector<std::string> left = sub->remaining();
        for (const std::string& word : left)
            if (word.starts_with("-")) refuse_unknown_option(words.command, word);
        const std::string subject(command_named(words.command).subject);
        if (!subject.empty() && sub->get_option(subject)->count() > 0) words.subject = subject_;
        if (!left.empty())
            throw RequestError(fmt::format("{} is one word too many after {}{}", quoted(left.front()),
                                           quoted(words.subject.value_or(words.command)),
                                           what_was_meant(words.command, left.front())));
        for (const auto& [option, given] : given_) keep_value(words, *option, given);
        return words;
    }

    /// Who writes the machine behind the operation has forgotten --on, or has more than one; who writes `--on ring 8` or
    /// `--bytes 1 MB` has cut a value in two.
    [[nodiscard]] std::string what_was_meant(std::string_view command, const std::string& word) const {
        const OptionInfo& on = *option_named("--on");
        for (const auto& [option, given] : given_)
            if (given.size() == 1 && !option->many_words && cut_in_two(option->name, given.front(), word))
                return fmt::format("; a value is one word: {} {}", option->name,
                                   option == &on ? given.front() + ":" + word : given.front() + word);
        if (option_named("--" + word) != nullptr) return fmt::format("; want --{}", word);
        if (word.find(':') == std::string::npos || !takes(command, on)) return "";
        return given_.contains(&on) ? "; many machines are for 'kport compare OPERATION --sweep'"
                                    : fmt::format("; want --on {}", quoted(word));
    }

    static bool cut_in_two(std::string_view option, std::string_view value, std::string_view word) {
        if (value.empty() || word.empty()) return false;
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        if (option == "--on") return value.find(':') == std::string_view::npos && is_digit(word.front());
        return option == "--bytes" && is_digit(value.back()) && word.size() <= 3 && !is_digit(word.front());
    }

    /// "; did you mean 'kport run broadcast'?" for `kport broadcast`; the nearest command for others.
    [[nodiscard]] static std::string command_meant(std::string_view word) {
        std::vector<std::string_view> names;
        for (const OperationInfo& info : operations()) names.push_back(info.name);
        if (const std::string_view operation = meant_by(word, names); !operation.empty())
            return fmt::format("; did you mean 'kport run {}'?", operation);
        for (const std::string_view list : {"operations", "algorithms", "topologies", "faults"})
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

    CLI::App app_{
        "An emulator of k-port message passing machines: runs collective operations on virtual nodes, "
        "audits every message against the machine's rules, and reports the cost beside the lower bounds.",
        "kport"};
    std::string subject_;
    std::map<const OptionInfo*, std::vector<std::string>> given_;
};

CommandLineReader::CommandLineReader() : parser_(std::make_unique<Parser>()) {}
CommandLineReader::~CommandLineReader() = default;

Words CommandLineReader::read(int argc, const char* const* argv) { return parser_->read(argc, argv); }

std::optional<std::string> Words::get(const std::string& option) const {
    const auto found = values.find(option);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

Words read_command_line(int argc, const char* const* argv) { return CommandLineReader().read(argc, argv); }

}  // namespace kport::cli
