#include "app/requests/option_table.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::requests {

namespace {

/// The commands that run something once, or say what it costs.
constexpr std::string_view untimed = "run show compare bounds explain";
/// Those of them that run it.
constexpr std::string_view running = "run show compare";

constexpr std::array option_rows = {
    OptionInfo{OptionGroup::machine, "--on", "", "TOPOLOGY", "the graph: hypercube:10, mesh:4x5, a file, ..."},
    OptionInfo{OptionGroup::machine, "--sweep", "", "TOPOLOGIES", "many machines: 'hypercube:{2..16}' 'mesh:{4,8}x{}'",
               "compare bench", true},
    OptionInfo{OptionGroup::machine, "--ports", "", "K", "1 (default), 2, 3, ... or all", "", false, false, "1 2 all"},
    OptionInfo{OptionGroup::machine, "--duplex", "", "MODE", "full (default): sends and receives apart; half: together",
               "", false, false, "full half"},
    OptionInfo{OptionGroup::machine, "--links", "", "MODE", "full (default): both directions at once; half: one", "",
               false, false, "full half"},
    OptionInfo{OptionGroup::machine, "--pairwise", "", "", "a node has at most one partner a round"},
    OptionInfo{OptionGroup::machine, "--switching", "", "MODE", "sf (default): store-and-forward; wh: wormhole", "",
               false, false, "sf wh"},
    OptionInfo{OptionGroup::machine, "--combining", "", "MODE",
               "on (default): a message may hold many packets; off: one", "", false, false, "on off"},
    OptionInfo{OptionGroup::machine, "--rules", "", "RULES", "law (default), count or off; also nodup=count,noho=off",
               running},
    OptionInfo{OptionGroup::machine, "--noho", "", "MODE", "wide (default); strict: may hear back in the same round",
               "", false, false, "wide strict"},
    OptionInfo{OptionGroup::machine, "--policy", "", "MODE", "queue (default): sends beyond K wait; strict: violation",
               "", false, false, "queue strict"},
    OptionInfo{OptionGroup::graph, "--format", "", "NAME",
               "of the file; default: as its content says (kport list formats)", "", false, false,
               "edges adjlist matrix graphml gexf gml dot node-link pajek dimacs konect metis mm graph6 sparse6 lgl"},
    OptionInfo{OptionGroup::graph, "--undirected", "", "", "takes each arc as a link, opposite arcs as one"},
    OptionInfo{OptionGroup::graph, "--trunks", "", "", "takes parallel links as one link of their capacity"},
    OptionInfo{OptionGroup::graph, "--simplify", "", "",
               "takes parallel links as one link|"
               "convert: also leaves out what the format cannot hold"},
    OptionInfo{OptionGroup::graph, "--largest", "", "", "keeps only the largest connected part"},
    OptionInfo{OptionGroup::graph, "--header", "", "MODE", "yes, no: whether a list of links begins with a header", "",
               false, false, "yes no"},
    OptionInfo{OptionGroup::graph, "--separator", "", "SIGN", "of a list of links: comma, semicolon, tab or blanks", "",
               false, false, "comma semicolon tab blanks"},
    OptionInfo{OptionGroup::graph, "--switches", "", "NODES",
               "A,B,...; inner: nodes of several links; @ATTRIBUTE=VALUE"},
    OptionInfo{OptionGroup::algorithm, "--algorithm", "", "NAME",
               "default: the best that applies; or a file, ./mine.cpp"},
    OptionInfo{OptionGroup::algorithm, "--with", "", "FILE.cpp",
               "your own algorithms beside the others: ./a.cpp ./b.cpp", "compare", true},
    OptionInfo{OptionGroup::algorithm, "--aggregate", "", "A", "pat: most blocks in a message, a power of two"},
    OptionInfo{OptionGroup::algorithm, "--keep", "", "PART", "rda-product: the part that stays: smaller or greater", "",
               false, false, "smaller greater"},
    OptionInfo{OptionGroup::algorithm, "--dimensions", "", "I,J,...",
               "rda-product: order of the dimensions, such as 1,0"},
    OptionInfo{OptionGroup::algorithm, "--arity", "", "A", "tree: 2 (default): children of a node"},
    OptionInfo{OptionGroup::algorithm, "--gather", "", "HOW", "scatter-allgather: bruck (default) or ring", "", false,
               false, "bruck ring"},
    OptionInfo{
        OptionGroup::algorithm, "--mode", "", "MODE",
        "allgather: kport (default): k sends and k receives; telephone: one partner; telegraph: one send or receive",
        "search", false, false, "kport telephone telegraph"},
    OptionInfo{OptionGroup::algorithm, "--least", "", "WHAT",
               "rounds (default), rounds,volume, rounds,work, front, or work", "search", false, false,
               "rounds rounds,volume rounds,work front work"},
    OptionInfo{OptionGroup::algorithm, "--operation", "", "NAME",
               "stress: default all (kport list operations)|convert: what the schedule does", "stress convert"},
    OptionInfo{OptionGroup::payload, "--source", "--root", "NODE",
               "0 (default); number, i,j,... or name|search: several, 0,5|compare: several, 0,5; all"},
    OptionInfo{OptionGroup::payload, "--bytes", "", "SIZE", "64 (default): of one packet; suffixes B KiB MiB GiB"},
    OptionInfo{OptionGroup::payload, "--packets", "", "M", "1 (default): packets of each, or segments of a reduction",
               "run show compare bounds explain bench search"},
    OptionInfo{OptionGroup::payload, "--promise", "", "all-held",
               "messages of which the file does not say what they carry carry all that their senders hold",
               "check convert", false, false, "all-held"},
    OptionInfo{OptionGroup::payload, "--permutation", "", "PI", "shift:1 (default), shift:Q, transpose, bit-reversal"},
    OptionInfo{OptionGroup::payload, "--payload", "", "MODE", "copy (default): bytes move; none: sizes are counted",
               "run show compare explain", false, false, "copy none"},
    OptionInfo{OptionGroup::payload, "--op", "", "OP", "reductions: sum (default), min, max, xor, concat", "", false,
               false, "sum min max xor concat"},
    OptionInfo{OptionGroup::payload, "--type", "", "TYPE", "reductions: int64 (default), double; concat: string", "",
               false, false, "int64 double string"},
    OptionInfo{OptionGroup::payload, "--values", "", "X,Y,...", "reductions: of each node; default: drawn by the seed"},
    OptionInfo{OptionGroup::payload, "--message", "", "SIZES",
               "predicts the best algorithm and cut of such messages|explain: one size such as 1MiB",
               "compare explain"},
    OptionInfo{OptionGroup::prices, "--ts", "", "X", "1 (default): cost of a startup", untimed},
    OptionInfo{OptionGroup::prices, "--td", "", "X", "0 (default): cost of a hop", untimed},
    OptionInfo{OptionGroup::prices, "--tm", "", "X", "0.001 (default): cost of a byte", untimed},
    OptionInfo{OptionGroup::prices, "--calibrated", "", "FILE", "predicts the time, at prices of bench --calibrate",
               "run", false, true},
    OptionInfo{OptionGroup::prices, "--calibrate", "", "FILE", "stores ts, td, tm of this chip (in ~/.cache/kport)",
               "bench", false, true},
    OptionInfo{OptionGroup::run, "--engine", "", "NAME", "lockstep (default); free: no barriers, at full speed", "",
               false, false, "lockstep free"},
    OptionInfo{OptionGroup::run, "--threads", "", "N", "all cores (default)"},
    OptionInfo{OptionGroup::run, "--seed", "", "S", "1 (default): of all random choices"},
    OptionInfo{OptionGroup::run, "--inject", "", "FAULT", "a fault: drop, corrupt:0.01, ... (kport list faults)",
               "run show stress"},
    OptionInfo{OptionGroup::run, "--max-rounds", "", "N", "4 million, or 64 a node if that is more (default)", running},
    OptionInfo{OptionGroup::run, "--until", "", "ROUND", "ends the run after this round, before a verdict", "run show"},
    OptionInfo{OptionGroup::run, "--order", "", "S", "a random order of the nodes; scan tree: preorder", untimed},
    OptionInfo{OptionGroup::run, "--partition-nodes", "", "N", "lockstep: nodes of a work unit; 4096 (default)", "run"},
    OptionInfo{OptionGroup::run, "--for", "", "TIME",
               "stress: 10s (default, unless --cases is given)|search: 60s (default)|bench: for a cell in each start|"
               "suffixes ms s m h",
               "stress bench search"},
    OptionInfo{OptionGroup::run, "--cases", "", "N", "ends after so many cases", "stress"},
    OptionInfo{OptionGroup::run, "--case", "", "N", "tries this case of the seed alone, such as one that failed",
               "stress"},
    OptionInfo{OptionGroup::run, "--nodes", "", "N", "64 (default): the most nodes of a machine that is drawn",
               "stress"},
    OptionInfo{OptionGroup::run, "--replay", "", "", "the recorded schedule moves the bytes, without programs",
               "bench"},
    OptionInfo{OptionGroup::run, "--repetitions", "", "N", "of each start; default: a second a cell, at least 10",
               "bench"},
    OptionInfo{OptionGroup::run, "--starts", "", "N", "processes, one by one: 6 (default), 1 with --repetitions",
               "bench"},
    OptionInfo{OptionGroup::output, "--per-round", "", "", "adds the table of rounds", "run compare"},
    OptionInfo{OptionGroup::output, "--json", "", "", "the report as JSON",
               "run compare bench stress search bounds check list info explain chip"},
    OptionInfo{OptionGroup::output, "--reproducible", "", "", "leaves out times, memory and threads",
               "run compare check search"},
    OptionInfo{OptionGroup::output, "--csv", "", "", "a line for each machine and algorithm, or file",
               "compare bench check"},
    OptionInfo{OptionGroup::output, "--repair", "", "",
               "below the report: the least change found that makes an MSCCL or GOAL file lawful, as a patch", "check"},
    OptionInfo{OptionGroup::output, "--record", "", "FILE", "the schedule: JSON, or x.txt, x.csv, x.goal, x.xml",
               "run search"},
    OptionInfo{OptionGroup::output, "--proof", "", "FILE",
               "writes why there is no schedule of one round fewer: DRAT, of the formula in FILE.cnf", "search"},
    OptionInfo{OptionGroup::output, "--trace", "", "FILE.json", "rounds and threads, for ui.perfetto.dev", "run"},
    OptionInfo{OptionGroup::output, "--picture", "", "FILE", "below the report, or into x.svg, x.html, x.dot, x.txt",
               "run info", false, true},
    OptionInfo{OptionGroup::output, "--as", "", "KIND", "text (default), svg, html, ... (see below)", "show", false,
               false, "text svg overview space-time dot json trace html"},
    OptionInfo{OptionGroup::output, "--output", "", "FILE", "where to write; default: standard output", "show"},
    OptionInfo{OptionGroup::output, "--rounds", "", "A-B", "shows these rounds alone: 2-4, 3 or 5-", "show"},
    OptionInfo{OptionGroup::output, "--plot", "", "FILE.svg",
               "bench: draws what was measured, the fit, and the lower bound|"
               "compare: draws latency, or --plot-of, over what varies|"
               "explain: draws what is predicted over the packets of --message",
               "bench compare explain"},
    OptionInfo{OptionGroup::output, "--plot-of", "", "QUANTITY", "rounds, work, path_sum, volume or latency (default)",
               "compare", false, false, "rounds work path_sum volume latency"},
    OptionInfo{OptionGroup::output, "--to", "", "FORMAT", "default: as the file's ending says (kport list formats)",
               "convert", false, false,
               "edges graphml gml dot node-link metis mm graph6 json text csv goal msccl mscclpp simgrid"},
};

constexpr std::array command_rows = {
    CommandInfo{"run", "run, audit, report beside the bounds", "kport run broadcast --on hypercube:10 --ports all"},
    CommandInfo{
        "compare", "every algorithm that applies, side by side", "kport compare broadcast --on mesh:8x8",
        "Several values (1,4; 8..16MiB, 8..16MiB*8; '1,2;3,4'): --algorithm --ports --switching --combining --keep "
        "--source --bytes --packets --ts --td --tm.\n"},
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
        "", "", "", "--on --operation --algorithm --inject --for --cases --case --nodes --threads --seed --json"},
    CommandInfo{
        "search", "the fewest rounds that any schedule takes, with such a schedule and why none takes fewer",
        "kport search broadcast --on debruijn:2,4 --source 2",
        "Store-and-forward machines. --least rounds,volume: then the least volume of schedules of so many rounds, in "
        "packets; rounds,work: their least work; front: the least volume for each number of rounds, and FILE-3, "
        "FILE-4, "
        "... of --record; work: the least work of all schedules. Status 4: the answer lies between two numbers when "
        "the "
        "time is over.\n",
        "OPERATION", "", "",
        "--on --ports --duplex --links --pairwise --combining --source --packets --permutation --mode --least --for "
        "--record --proof --reproducible --json"},
    CommandInfo{
        "bounds", "lower bounds, without a run", "kport bounds broadcast --on hypercube:40", "", "OPERATION", "", "",
        "--on --ports --duplex --links --pairwise --noho --switching --combining --permutation --source --bytes "
        "--packets --ts --td --tm --policy --op --order --json"},
    CommandInfo{
        "check", "judge a schedule or an algorithm in a file, or all files of a folder",
        "kport check scatter.txt --ports all",
        "Forms: JSON as --record writes it; text as on paper (round 1: 0 -> 4 {4..7}, 1 -> 3 {3}); CSV; GOAL; MSCCL; "
        "MSCCL++; SCCL; TACCL; TE-CCL; SimGrid. "
        "Options supply what the file leaves out (operation, topology, ports), and override what it says. - is "
        "standard input.\n",
        "FILE", "OPERATION", "what the schedule does, where the file does not say it",
        "--on --source --bytes --packets --promise --ports --duplex --links --pairwise --noho --switching --combining "
        "--rules "
        "--policy --ts --td --tm --per-round --repair --reproducible --json --csv"},
    CommandInfo{
        "convert", "write a graph or a schedule in another format", "kport convert net.graphml net.metis",
        "TOPOLOGY may also be a file that holds a schedule; options supply what it leaves out. Without FILE it "
        "goes to standard output: kport convert mesh:4x5 --to dot | neato -Tsvg\n",
        "TOPOLOGY", "FILE", "what is written; its ending says the format, unless --to does",
        "--to --operation --on --source --bytes --packets --promise --ports --duplex --links --pairwise --switching"},
    CommandInfo{"list", "names, with their requirements", "kport list algorithms scatter", "", "LIST", "OPERATION",
                "only its algorithms: kport list algorithms scatter", "--json"},
    CommandInfo{"info", "what is known of a graph: links, degrees, distances, symmetry", "kport info petersen", "",
                "TOPOLOGY", "", "", "--json --picture"},
    CommandInfo{"show", "draws who sends what to whom, round by round", "kport show scatter --on hypercube:3 --as svg",
                "A FILE is a schedule that --record wrote; OPERATION says what it is to do.\n"
                "svg: a panel a round; overview: one panel; space-time: nodes down, rounds along; html: a page that "
                "plays them; trace: for ui.perfetto.dev; also dot, json.\n",
                "OPERATION|FILE", "OPERATION", "what the schedule of a FILE is to do, where it does not say it"},
    CommandInfo{
        "explain", "derives bounds and costs for your machine", "kport explain broadcast --on torus:5x5",
        "A source such as model section 6 is a section of docs/model.md.\n", "OPERATION", "", "",
        "--on --algorithm --ports --duplex --links --pairwise --noho --switching --combining --aggregate "
        "--permutation --source --bytes --packets --payload --ts --td --tm --policy --keep --dimensions --arity "
        "--gather --op --order --message --plot --json"},
    CommandInfo{"chip", "this computer: cores, caches, and what it costs to move data between them (some seconds)",
                "kport chip --threads 2",
                "N threads, one per core; by default on every core available. 95 % intervals; ns.\n", "", "", "",
                "--threads --json"},
    CommandInfo{"completion", "the completions of a shell: bash, zsh or fish", "source <(kport completion bash)", "",
                "SHELL", "", "", "--help"},
    CommandInfo{
        "new", "writes an algorithm of your own, complete, to be changed", "kport new broadcast mine.cpp",
        "kport run broadcast --on mesh:4x4 --algorithm ./mine.cpp compiles it and runs it like any other. Without "
        "FILE it goes to standard output.\n",
        "OPERATION", "FILE", "what is written: a C++ file", "--help"},
    CommandInfo{"manual", "the manual page", "kport manual | man -l -", "", "", "", "", "--help"},
};

constexpr std::array idle_rows = {
    IdleOptions{
        "show", "FILE",
        "--algorithm --aggregate --permutation --payload --policy --keep --dimensions --arity --gather --op --type "
        "--values --engine --threads --seed --inject --max-rounds --until --order",
        "a schedule in a file is shown, and nothing runs"},
    IdleOptions{"convert", "TOPOLOGY",
                "--operation --on --source --bytes --packets --promise --ports --duplex --links --pairwise --switching",
                "a graph is written, and no schedule"},
    IdleOptions{"check", "--json", "--repair", "the report has no place for a patch"},
    IdleOptions{"check", "--csv", "--repair", "a table has no place for a patch"},
    IdleOptions{"check", "FOLDER", "--repair", "a patch is of one file"},
    IdleOptions{"check", "FOLDER", "--per-round", "a line for each file has no place for its rounds (--json has)"},
    IdleOptions{
        "compare explain", "--message",
        "--bytes --packets --payload --rules --engine --threads --seed --max-rounds --per-round --type --values",
        "it predicts what a message costs in packets of every size, and runs nothing"},
    IdleOptions{"bench", "--replay", "--engine", "the recorded schedule moves the bytes, without programs"},
    IdleOptions{"bench", "--repetitions", "--for", "each start takes so many repetitions, however long that is"},
    IdleOptions{"stress", "--case", "--cases --for", "one case alone is tried"},
    IdleOptions{"stress", "--on", "--nodes", "all machines have this graph"},
    IdleOptions{"run", "--reproducible", "--calibrated", "a measured time differs from run to run"},
    IdleOptions{"run show compare", "--payload none", "--type --values", "no values are held"},
};

}  // namespace

std::string_view name(OptionGroup group) {
    constexpr std::array<std::string_view, 7> names = {"Machine", "Graph files", "Algorithm", "Payload",
                                                       "Prices",  "Run",         "Output"};
    return names.at(static_cast<std::size_t>(group));
}

std::span<const OptionInfo> all_options() { return option_rows; }
std::span<const CommandInfo> all_commands() { return command_rows; }
std::span<const IdleOptions> all_idle_options() { return idle_rows; }

const OptionInfo* option_named(std::string_view word) {
    const auto found = std::find_if(option_rows.begin(), option_rows.end(), [&](const OptionInfo& option) {
        return option.name == word || (!option.alias.empty() && option.alias == word);
    });
    return found == option_rows.end() ? nullptr : &*found;
}

std::string about_of(const OptionInfo& option, std::string_view command) {
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

bool takes(std::string_view command, const OptionInfo& option) {
    const std::string_view names = command_named(command).options;
    if (option.group == OptionGroup::graph)
        return command == "info" || names.empty() || (has_word(names, "--on") && command != "stress");
    if (!names.empty()) return has_word(names, option.name);
    return option.only.empty() || has_word(option.only, command);
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
    for (const char* option : {"--record", "--trace", "--picture", "--proof", "--plot", "--output"}) {
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

void refuse_idle_options(const Words& words, std::string_view use) {
    for (const IdleOptions& row : idle_rows) {
        if (row.use != use || !has_word(row.commands, words.command)) continue;
        for (const std::string_view option : split(row.options, ' '))
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

}  // namespace kport::requests
