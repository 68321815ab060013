#include "app/requests/command_table.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iomanip>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::requests {

namespace {

constexpr std::array command_rows = {
    CommandInfo{"run", "run, audit, report beside the bounds", "kport run broadcast --on hypercube:10 --ports all"},
    CommandInfo{"compare", "every algorithm that applies, side by side", "kport compare broadcast --on mesh:8x8",
                "Several values (1,4; 8..1MiB*8; '1,2;3,4') vary machine, sizes, prices.\n"},
    CommandInfo{"bench", "what it costs on this chip, beside memcpy and a plain loop",
                "kport bench broadcast --on hypercube:10 --bytes 8..1MiB --threads 1,2",
                "--bytes takes one size, a list (8,64,4KiB) or a range (8..16MiB: factor 2; 8..16MiB*8; the end is "
                "always tried), "
                "--packets numbers in the same ways. --threads, --ports, --switching, --combining and --keep take "
                "lists. Every combination is a "
                "cell, on every machine of --sweep.\n"
                "--json is in the format of Google Benchmark.\n"},
    CommandInfo{
        "stress", "tests random machines, orders and faults; shrinks the first failure", "kport stress --for 60s",
        "Each case is audited, judged again by a second auditor, replayed, and run on other engines, orders and "
        "threads, which must give the same report. Failures are shrunk to the smallest machine.\n"
        "Without --algorithm all take turns; --threads is the most that a run may have (default: 2 to 4).\n",
        "", "", "",
        "--on --broken --operation --algorithm --inject --for --cases --case --nodes --threads --seed --json"},
    CommandInfo{
        "search", "the fewest rounds that any schedule takes, with such a schedule and why none takes fewer",
        "kport search broadcast --on debruijn:2,4 --source 2",
        "promise --promise FILE: what a file says (docs/schedules.md). On wormhole machines and through switches: "
        "broadcast and reduce, with combining scatter and gather. --least "
        "rounds,volume: then the least volume of schedules of so many rounds, in "
        "packets; rounds,work: their least work; front: the least volume for each number of rounds, and FILE-3, "
        "FILE-4, "
        "... of --record; work: the least work of all schedules. Status 4: the answer lies between two numbers when "
        "the "
        "time is over.\n",
        "OPERATION", "", "",
        "--on --broken --ports --duplex --links --pairwise --switching --switch-limit --combining --source "
        "--packets --promise --permutation --mode "
        "--least --for "
        "--record --proof --reproducible --json"},
    CommandInfo{
        "tolerance", "the most rounds when links or nodes break, over all sets of so many",
        "kport tolerance broadcast --on hypercube:4 --links 2",
        "Without --algorithm the fewest rounds of all schedules on each machine that is left, with it those "
        "of the algorithm, planned anew for each. --unaware: planned once, on the whole machine; the smallest set of "
        "links whose "
        "loss stops it. Sets that symmetries of the machine take to each other are asked once. Status 4: the time was "
        "over "
        "before all were known.\n",
        "OPERATION", "", "",
        "--on --broken --unaware --ports --duplex --links --pairwise --switching --switch-limit --combining --source "
        "--packets --permutation --algorithm --nodes --sample --seed --threads --for --json"},
    CommandInfo{
        "bounds", "lower bounds, without a run", "kport bounds broadcast --on hypercube:40", "", "OPERATION", "", "",
        "Machine Prices --permutation --source --sources --bytes --packets --counts --sizes --members --relay --groups "
        "--promise --op --order --json"},
    CommandInfo{
        "check", "judge a schedule or an algorithm in a file, or all files of a folder",
        "kport check scatter.txt --ports all",
        "Forms: JSON as --record writes it; text as on paper (round 1: 0 -> 4 {4..7}, 1 -> 3 {3}); CSV; GOAL; MSCCL; "
        "MSCCL++; SCCL; TACCL; TE-CCL; SimGrid. "
        "Options supply what the file leaves out (operation, topology, ports), and override what it says. - is "
        "standard input.\n",
        "FILE", "OPERATION", "what the schedule does, where the file does not say it",
        "--on --broken --source --bytes --packets --counts --sizes --members --promise --ports --duplex "
        "--links "
        "--pairwise --noho "
        "--switching --combining --switch-limit --routing --rules "
        "--policy --prices --ts --td --tm --slow --per-round --hotspots --repair --reproducible --json --csv"},
    CommandInfo{"convert", "write a graph or a schedule in another format", "kport convert net.graphml net.metis",
                "TOPOLOGY may also be a file that holds a schedule; options supply what it leaves out. Without FILE it "
                "goes to standard output: kport convert mesh:4x5 --to dot | neato -Tsvg\n",
                "TOPOLOGY", "FILE", "what is written; its ending says the format, unless --to does",
                "--to --operation --on --broken --source --bytes --packets --counts --sizes --promise --ports "
                "--duplex --links "
                "--pairwise --switching"},
    CommandInfo{"list", "names, with their requirements", "kport list algorithms scatter", "", "LIST", "OPERATION",
                "only its algorithms: kport list algorithms scatter", "--json"},
    CommandInfo{"info", "what is known of a graph: links, degrees, distances, symmetry", "kport info petersen", "",
                "TOPOLOGY", "", "", "--broken --json --picture"},
    CommandInfo{"show", "draws who sends what to whom, round by round", "kport show scatter --on hypercube:3 --as svg",
                "A FILE is a schedule that --record wrote; OPERATION says what it is to do.\n"
                "KIND also: overview animation space-time load holdings critical-path bounds\ntrace png webp.\n",
                "OPERATION|FILE", "OPERATION", "what the schedule of a FILE is to do"},
    CommandInfo{
        "explain", "derives bounds and costs for your machine", "kport explain broadcast --on torus:5x5",
        "A source such as model section 6 is a section of docs/model.md.\n", "OPERATION", "", "",
        "Machine Algorithm Prices --permutation --source --sources --bytes --packets --counts --sizes --members "
        "--relay --groups --promise --payload "
        "--op --order "
        "--message --plot "
        "--json"},
    CommandInfo{"chip", "this computer: cores, caches, and what it costs to move data between them (some seconds)",
                "kport chip --threads 2",
                "N threads, one per core; by default on every core available. 95 % intervals; ns.\n", "", "", "",
                "--threads --json"},
    CommandInfo{
        "lab", "kport in the browser of this computer: choose, watch, compare, build a schedule", "kport lab",
        "It prints the address of a page and opens it. Only this computer can reach it, and only who has the address. "
        "It reads files of the folder where it was started, "
        "writes none, and ends ten minutes after the page was closed.\n",
        "", "", "", "--port --for --no-open"},
    CommandInfo{"grade", "points for the hand-ins of a class, by an exercise", "kport grade exercise.json hand-ins",
                "EXERCISE is a JSON file (docs/teaching.md); kport new exercise NAME writes one. HANDINS is a hand-in, "
                "or a folder of them. "
                "Status 0: all have full points; --try: the exercise is sound.\n",
                "EXERCISE", "HANDINS", "a file, or a folder with an entry for each person",
                "--try --machine --csv --json --gradescope --feedback --threads --already-contained"},
    CommandInfo{"completion", "the completions of a shell: bash, zsh or fish", "source <(kport completion bash)", "",
                "SHELL", "", "", "--help"},
    CommandInfo{
        "new", "writes an algorithm of your own, complete, to be changed", "kport new broadcast mine.cpp",
        "kport run broadcast --on mesh:4x4 --algorithm ./mine.cpp compiles it and runs it like any other. Without "
        "FILE it goes to standard output. kport new exercise NAME writes a folder with an exercise, an answer and an "
        "empty hand-in.\n",
        "OPERATION", "FILE", "what is written: a C++ file; of an exercise: a folder", "--help"},
    CommandInfo{"manual", "the manual page", "kport manual | man -l -", "", "", "", "", "--help"},
};

constexpr std::array idle_rows = {
    IdleOptions{
        "show", "FILE",
        "Algorithm Run --policy --sources --members --relay --groups --permutation --payload --op --type --values",
        "a schedule in a file is shown, and nothing runs"},
    IdleOptions{"convert", "TOPOLOGY",
                "--operation --on --broken --source --bytes --packets --counts --sizes --promise --ports --ports-by "
                "--duplex --links "
                "--pairwise "
                "--switching",
                "a graph is written, and no schedule"},
    IdleOptions{"check", "--json", "--repair", "the report has no place for a patch"},
    IdleOptions{"check", "--csv", "--repair", "a table has no place for a patch"},
    IdleOptions{"grade", "--try", "--csv --gradescope --feedback --already-contained", "no hand-ins are graded"},
    IdleOptions{"grade", "--csv", "--json", "the grades are written as a table of lines"},
    IdleOptions{"check", "FOLDER", "--repair", "a patch is of one file"},
    IdleOptions{"check", "FOLDER", "--per-round --hotspots", "a line for each file has no place for it (--json has)"},
    IdleOptions{"compare explain", "--message",
                "--bytes --packets --sources --counts --sizes --payload --rules --engine --threads --seed --max-rounds "
                "--per-round "
                "--type --values",
                "it predicts what a message costs in packets of every size, and runs nothing"},
    IdleOptions{"bench", "--replay", "--engine", "the recorded schedule moves the bytes, without programs"},
    IdleOptions{"bench", "--repetitions", "--for", "each start takes so many repetitions, however long that is"},
    IdleOptions{"stress", "--case", "--cases --for", "one case alone is tried"},
    IdleOptions{"stress", "--on", "--nodes", "all machines have this graph"},
    IdleOptions{"tolerance", "--unaware", "--nodes --sample --seed --threads",
                "sets of links are tried one after the other until one stops the algorithm"},
    IdleOptions{"run", "--unaware", "--record --hotspots --inject --partition-nodes --threads",
                "messages are lost on one thread while the programs run, and no schedule says which"},
    IdleOptions{"run", "SEQUENCE",
                "Algorithm --source --sources --counts --sizes --members --relay --groups --promise --permutation",
                "the lines of the file say what each phase does"},
    IdleOptions{"run", "SEQUENCE", "--unaware --calibrated --inject --until --trace",
                "the messages of all phases are followed to their end as they are"},
    IdleOptions{"run", "--reproducible", "--calibrated", "a measured time differs from run to run"},
    IdleOptions{"run show compare", "--payload none", "--type --values", "no values are held"},
};

}  // namespace

std::span<const CommandInfo> all_commands() { return command_rows; }
std::span<const IdleOptions> all_idle_options() { return idle_rows; }

const Option* option_named(std::string_view word) {
    const auto found = std::ranges::find_if(all_options(), [&](const Option& option) {
        return option.name == word || (!option.alias.empty() && option.alias == word);
    });
    return found == all_options().end() ? nullptr : &*found;
}

std::string about_of(const Option& option, std::string_view command) {
    std::string about;
    for (std::string_view part : split(option.about, '|')) {
        const auto of = std::ranges::find_if(
            command_rows, [&](const CommandInfo& info) { return part.starts_with(std::string(info.name) + ": "); });
        if (of != command_rows.end() && !command.empty()) {
            if (of->name != command) continue;
            part.remove_prefix(of->name.size() + 2);
        }
        about += (about.empty() ? "" : "; ") + std::string(part);
    }
    return about;
}

const CommandInfo& command_named(std::string_view word) {
    const auto found = std::find_if(command_rows.begin(), command_rows.end(),
                                    [&](const CommandInfo& info) { return info.name == word; });
    invariant(found != command_rows.end(), "a command is one of the table");
    return *found;
}

bool takes(std::string_view command, const Option& option) {
    // Graph files come with --on, and are the subject of info; stress draws its machines.
    if (option.group == OptionGroup::graph)
        return command == "info" ||
               (command != "stress" && takes(command, *std::ranges::find(all_options(), "--on", &Option::name)));
    const std::string_view names = command_named(command).options;
    if (has_word(names, option.name)) return true;
    const bool may_be_meant = names.empty() || has_word(names, name(option.group));
    return may_be_meant && (option.only.empty() || has_word(option.only, command));
}

std::vector<std::string_view> options_of(const IdleOptions& row) {
    std::vector<std::string_view> names;
    for (const Option& option : all_options())
        if (has_word(row.options, option.name) || has_word(row.options, name(option.group)))
            names.push_back(option.name);
    return names;
}

namespace {

/// Whether the words have an option, with the value that stands behind it, if one does: "--payload none".
bool have(const Words& words, std::string_view option_and_value) {
    const std::size_t blank = option_and_value.find(' ');
    const std::optional<std::string> given = words.get(std::string(option_and_value.substr(0, blank)));
    return given && (blank == std::string_view::npos || *given == option_and_value.substr(blank + 1));
}

}  // namespace

void refuse_one_file_for_two_options(const Words& words) {
    std::map<std::filesystem::path, std::string_view> taken;
    for (const char* option : {"--record", "--gradescope", "--trace", "--picture", "--proof", "--plot", "--output"}) {
        const auto file = words.get(option);
        if (!file || file->empty()) continue;
        std::error_code none;
        const auto [at, is_new] =
            taken.emplace(std::filesystem::weakly_canonical(std::filesystem::absolute(*file, none), none), option);
        if (!is_new)
            throw RequestError(
                fmt::format("{} and {} both name {}; want two files", at->second, option, quoted(*file)));
    }
}

std::string as_typed(const Words& words, OptionGroup group) {
    std::string text;
    for (const Option& option : all_options())
        if (const auto value = words.get(std::string(option.name)); value && option.group == group)
            text += option.value.empty() ? fmt::format(" {}", option.name)
                                         : fmt::format(" {} {}", option.name, as_shell_word(*value));
    return text;
}

std::string command_as_typed(const Words& words) {
    std::string text = fmt::format("kport {} {}{}", words.command, as_shell_word(words.subject.value_or("")),
                                   words.of ? " " + as_shell_word(*words.of) : "");
    for (const auto& [option, value] : words.values)
        text +=
            option_named(option)->value.empty() ? " " + option : fmt::format(" {} {}", option, as_shell_word(value));
    return text;
}

bool is_recorded(const Option& option) {
    if (option.name == "--on" || option.name == "--broken") return false;
    const bool is_of_machine = option.group == OptionGroup::machine || option.group == OptionGroup::prices ||
                               option.group == OptionGroup::graph;
    return (is_of_machine || option.name == "--bytes") && takes("check", option);
}

std::string recorded_options(const Words& words) {
    std::ostringstream text;
    for (const Option& option : all_options()) {
        const auto value = words.get(std::string(option.name));
        if (!value || !is_recorded(option)) continue;
        text << (text.tellp() == 0 ? "" : " ") << option.name;
        const bool is_plain = !value->empty() && value->find_first_of(" \t\"\\") == std::string::npos;
        if (option.value.empty()) continue;
        text << ' ';
        if (is_plain)
            text << *value;
        else
            text << std::quoted(*value);
    }
    return std::move(text).str();
}

namespace {

/// Whether words say something in place of what a schedule says by this option.
bool is_replaced(const Words& words, const Option& option) {
    const auto replaces = [&](std::string_view these, std::string_view replaced) {
        const auto is_typed = [&](std::string_view one) { return words.has(std::string(one)); };
        return has_word(replaced, option.name) && std::ranges::any_of(split(these, ' '), is_typed);
    };
    constexpr std::string_view parallel_links = "--trunks --simplify --capacity-by";
    constexpr std::string_view prices = "--ts --td --tm";
    const bool is_of_graph = option.group == OptionGroup::graph || option.name == "--slow";
    return (is_of_graph && words.has("--on")) || replaces(parallel_links, parallel_links) ||
           replaces(prices, "--prices") || replaces("--prices", prices);
}

}  // namespace

Words with_recorded(Words words, const std::string& options) {
    const Words typed = words;
    std::istringstream text(options);
    for (std::string name; text >> name;) {
        const Option* const option = option_named(name);
        if (option == nullptr || !is_recorded(*option) || name != option->name)
            throw RequestError(
                fmt::format("options: {} is none of a recorded schedule; want such as --ports 2", quoted(name)));
        std::string value = "true";
        if (!option->value.empty() && (!(text >> std::quoted(value)) || value.empty()))
            throw RequestError(fmt::format("options: {} needs a value: {} {}", name, name, option->value));
        if (!typed.has(name) && !is_replaced(typed, *option) && !words.values.emplace(name, value).second)
            throw RequestError(fmt::format("options: {} stands there twice; want it once", name));
    }
    return words;
}

void refuse_idle_options(const Words& words, std::string_view use) {
    for (const IdleOptions& row : idle_rows) {
        if (row.use != use || !has_word(row.commands, words.command)) continue;
        for (const std::string_view option : options_of(row))
            if (words.has(std::string(option)))
                throw RequestError(
                    fmt::format("{0} has no effect {1}: {2}; leave {0} out", words.typed(std::string(option)),
                                use.starts_with("--") ? fmt::format("beside {}", use) : "here", row.why));
    }
}

void refuse_idle_options(const Words& words) {
    for (const IdleOptions& row : idle_rows)
        if (row.use.starts_with("--") && have(words, row.use)) refuse_idle_options(words, row.use);
}

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

/// --topology means --on TOPOLOGY: the option with such a value, if it is the only one.
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
