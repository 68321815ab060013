/// @file options_test.cpp   Every option of every command, mistyped in every way: parsed in this process, because there
///                          are hundreds; hostile_test.cpp tests the whole program.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/cli/commands.hpp"
#include "app/requests/command_line.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/several.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::cli {
namespace {

using Line = std::vector<std::string>;

constexpr std::string_view runs = "run compare bench bounds explain";
constexpr std::string_view untimed = "run show compare bounds explain";
constexpr std::string_view costed = "run compare bench explain";
constexpr std::string_view executed = "run compare bench";

struct Option {
    std::string name;
    std::string form;            ///< of its value; empty: it has none
    std::string valid;           ///< a value that is right
    std::string_view of = runs;  ///< the commands that take it
    bool everybodys = true;      ///< every command that runs something takes it, so messages do not list the commands
    bool may_stand_alone = false;
    bool many_words = false;
};

const std::vector<Option> options = {
    {"--on", "TOPOLOGY", "mesh:4x4", "run compare bench bounds explain stress"},
    {"--broken", "PARTS", "0--1", "run compare bench bounds explain stress", true, false, true},
    {"--unaware", "", "", "run tolerance", false},
    {"--algorithm", "NAME", "dost", "run compare bench explain stress"},
    {"--ports", "K", "2"},
    {"--duplex", "MODE", "half"},
    {"--links", "MODE", "half"},
    {"--pairwise", "", ""},
    {"--noho", "MODE", "strict"},
    {"--switch-limit", "C", "2"},
    {"--routing", "MODE", "adaptive"},
    {"--switching", "MODE", "wh"},
    {"--combining", "MODE", "off"},
    {"--rules", "RULES", "nodup=count", "run show compare", false},
    {"--source", "NODE", "3,3"},
    {"--bytes", "SIZE", "4KiB"},
    {"--policy", "MODE", "strict"},
    {"--keep", "PART", "smaller", costed},
    {"--dimensions", "I,J,...", "1,0", costed},
    {"--arity", "A", "3", costed},
    {"--gather", "HOW", "ring", costed},
    {"--aggregate", "A", "2", costed},
    {"--ports-at-most", "K", "1", costed},
    {"--permutation", "PI", "shift:2"},
    {"--sources", "NODES", "0,3", untimed, false},
    {"--counts", "COUNTS", "1,2", untimed, false},
    {"--sizes", "SIZES", "8,16", untimed, false},
    {"--promise", "FILE", "p.txt", "check convert bounds run show compare explain search", false},
    {"--members", "NODES", "0,3", "run show compare bounds explain check", false},
    {"--relay", "WHO", "all", untimed, false},
    {"--groups", "GROUPS", "0-1/2-3", untimed, false},
    {"--intra", "NAME", "rda", "run show compare explain", false},
    {"--inter", "NAME", "rda", "run show compare explain", false},
    {"--op", "OP", "max"},
    {"--type", "TYPE", "double", executed},
    {"--values", "X,Y,...", "1,2", executed},
    {"--engine", "NAME", "free", executed},
    {"--threads", "N", "2", "run compare bench chip stress"},
    {"--seed", "S", "7", "run compare bench stress"},
    {"--json", "", "", "run compare bench bounds explain list chip stress"},
    {"--reproducible", "", "", "run compare check search", false},
    {"--inject", "FAULT", "drop", "run show stress", false},
    {"--max-rounds", "N", "9", "run show compare", false},
    {"--until", "ROUND", "3", "run show", false},
    {"--record", "FILE", "x.json", "run search", false},
    {"--trace", "FILE.json", "x.json", "run", false},
    {"--picture", "FILE", "x.svg", "run info", false, true},
    {"--as", "KIND", "svg", "show", false},
    {"--output", "FILE", "x.svg", "show", false},
    {"--rounds", "A-B", "2-4", "show", false},
    {"--shape", "SHAPE", "slide", "show", false},
    {"--width", "PIXELS", "800", "show", false},
    {"--order", "S", "5", untimed, false},
    {"--operation", "NAME", "scan", "stress convert", false},
    {"--for", "TIME", "60s", "stress bench search tolerance lab", false},
    {"--port", "N", "8080", "lab", false},
    {"--no-open", "", "", "lab", false},
    {"--try", "", "", "grade", false},
    {"--already-contained", "", "", "grade", false},
    {"--machine", "N", "1", "grade", false},
    {"--feedback", "FOLDER", "pages", "grade", false},
    {"--gradescope", "FILE", "x.json", "grade", false},
    {"--mode", "MODE", "telephone", "search", false},
    {"--partition-nodes", "N", "2", "run", false},
    {"--starts", "N", "2", "bench", false},
    {"--cases", "N", "9", "stress", false},
    {"--case", "N", "9", "stress", false},
    {"--nodes", "N", "9", "stress tolerance", false},
    {"--sample", "N", "9", "tolerance", false},
    {"--payload", "MODE", "none", "run show compare explain", false},
    {"--ts", "X", "0.5", untimed, false},
    {"--td", "X", "0.5", untimed, false},
    {"--tm", "X", "0.5", untimed, false},
    {"--prices", "MODEL:X,..", "logp:6,2,4", untimed, false},
    {"--slow", "PARTS", "0--1=4", untimed, false, false, true},
    {"--per-round", "", "", "run compare", false},
    {"--hotspots", "", "", "run check", false},
    {"--to", "FORMAT", "dot", "convert", false},
    {"--sweep", "TOPOLOGIES", "line:{3,4}", "compare bench", false, false, true},
    {"--csv", "", "", "compare bench check grade", false},
    {"--calibrated", "FILE", "x", "run", false, true},
    {"--calibrate", "FILE", "x", "bench", false, true},
    {"--packets", "M", "3", "run show compare bounds explain bench search tolerance", false},
    {"--plot", "FILE.svg", "x.svg", "bench compare explain", false},
    {"--plot-of", "QUANTITY", "rounds", "compare", false},
    {"--plot-over", "OPTION", "ports", "compare", false},
    {"--plot-as", "FORM", "matrix", "compare", false},
    {"--with", "FILE.cpp", "./x.cpp", "compare", false, false, true},
    {"--message", "SIZES", "8..64", "compare explain", false},
    {"--replay", "", "", "bench", false},
    {"--repair", "", "", "check", false},
    {"--repetitions", "N", "3", "bench", false},
};

bool takes(std::string_view commands, std::string_view command) {
    return fmt::format(" {} ", commands).find(fmt::format(" {} ", command)) != std::string::npos;
}

/// `COMMAND broadcast`, or the command alone where it has no subject.
Line line_of(std::string_view command) {
    if (command == "chip" || command == "stress") return {"kport", std::string(command)};
    return {"kport", std::string(command),
            command == "list"   ? "algorithms"
            : command == "info" ? "petersen"
                                : "broadcast"};
}

Words read(const Line& line) {
    std::vector<const char*> argv;
    for (const std::string& word : line) argv.push_back(word.c_str());
    return read_command_line(static_cast<int>(argv.size()), argv.data(), usual_width);
}

/// Why a line is refused, in parsing or in checking; "accepted" if it is not.
std::string refusal(const Line& line) {
    try {
        const Words words = read(line);
        if (takes("compare bench", words.command))
            (void)variants_of(words);
        else if (takes(runs, words.command))
            (void)experiment_of(words);
        else if (words.command == "stress")
            (void)stress_plan_of(words);
    } catch (const RequestError& error) {
        return in_options(error.what());
    } catch (const DoesNotFit& error) {
        return in_options(error.what());
    }
    return "accepted";
}

class EveryOption : public testing::TestWithParam<std::string_view> {
  protected:
    /// Calls check(option) for each that the command takes.
    template <class Check>
    void for_each_taken(Check&& check) const {
        for (const Option& option : options)
            if (takes(option.of, GetParam())) check(option);
    }
    [[nodiscard]] static Line with(Line more) {
        Line line = line_of(GetParam());
        line.insert(line.end(), more.begin(), more.end());
        return line;
    }
};

TEST_P(EveryOption, IsReadOnce) {
    for_each_taken([&](const Option& option) {
        Line line = with({option.name});
        if (!option.form.empty()) line.push_back(option.valid);
        EXPECT_EQ(read(line).get(option.name), option.form.empty() ? "true" : option.valid);
        EXPECT_EQ(read(line).values.size(), 1U);
    });
}

TEST_P(EveryOption, WithoutItsValueIsRefused) {
    for_each_taken([&](const Option& option) {
        if (option.form.empty()) return;
        const std::string needs = fmt::format("{0} needs a value: {0} {1}", option.name, option.form);
        EXPECT_EQ(refusal(with({option.name + "="})), needs);
        if (option.may_stand_alone) return;
        EXPECT_EQ(refusal(with({option.name})), needs);
        EXPECT_EQ(refusal(with({option.name, ""})), fmt::format("{0} is empty: {0} {1}", option.name, option.form));
        EXPECT_EQ(refusal(with({option.name, "--json"})),
                  fmt::format("{0} needs a value before '--json': {0} {1}", option.name, option.form));
    });
}

TEST_P(EveryOption, WithAValueThatItDoesNotHaveIsRefused) {
    for_each_taken([&](const Option& option) {
        if (!option.form.empty()) return;
        EXPECT_EQ(refusal(with({option.name + "=1"})),
                  fmt::format("{0} takes no value, but '{0}=1' gives one", option.name));
    });
}

TEST_P(EveryOption, TwiceIsRefused) {
    for_each_taken([&](const Option& option) {
        if (option.many_words) return;
        if (option.form.empty())
            EXPECT_EQ(refusal(with({option.name, option.name})), option.name + " is given 2 times");
        else
            EXPECT_EQ(refusal(with({option.name, option.valid, option.name, "x"})),
                      fmt::format("{} is given 2 times: '{}' and 'x'", option.name, option.valid));
    });
}

TEST_P(EveryOption, OfAnotherCommandIsRefused) {
    const bool runs_nothing = takes("bounds explain", GetParam());
    for (const Option& option : options) {
        if (takes(option.of, GetParam())) continue;
        std::string commands = std::string(option.of);
        for (std::size_t at = 0; (at = commands.find(' ', at)) != std::string::npos; at += 2)
            commands.replace(at, 1, ", ");
        EXPECT_EQ(refusal(with({option.name})),
                  fmt::format("kport {} takes no '{}'{}", GetParam(), option.name,
                              runs_nothing && takes(option.of, "run") ? "; it runs nothing"
                              : !option.everybodys                    ? "; it is an option of kport " + commands
                              : GetParam() == std::string("stress") ? "; it draws machines, of at most --nodes N nodes"
                                                                    : ""));
    }
}

/// For any value the answer is one short line without control characters.
TEST_P(EveryOption, WithGarbageIsRefusedInOneShortLine) {
    const std::vector<std::string> garbage = {std::string(100'000, 'x'),
                                              std::string(100'000, '0'),
                                              std::string(100'000, '9'),
                                              "\x1b[31m\r\n\t\x7f",
                                              "\xff\xfe\x80",
                                              "\xc3(",
                                              "-1",
                                              "1e999",
                                              "0x10",
                                              " ",
                                              "18446744073709551616",
                                              "%s%n",
                                              "'; rm x",
                                              std::string(50'000, ','),
                                              std::string(50'000, '{'),
                                              ":"};
    for_each_taken([&](const Option& option) {
        if (option.form.empty() || option.may_stand_alone || option.name == "--plot") return;
        for (const std::string& word : garbage) {
            Line line = with({option.name, word});
            if (option.name != "--on" && option.name != "--sweep" && takes(runs, GetParam()))
                line.insert(line.end(), {"--on", "mesh:4x4"});
            if (takes(runs, GetParam()) &&
                (option.name == "--op" || option.name == "--type" || option.name == "--values"))
                line[2] = "reduce";
            const std::string answer = refusal(line);
            EXPECT_LT(answer.size(), 500U) << option.name;
            EXPECT_TRUE(std::ranges::none_of(answer, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
                << option.name << ": " << answer;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(OfEveryCommand, EveryOption,
                         testing::Values("run", "compare", "bench", "stress", "bounds", "explain", "list", "chip"),
                         [](const testing::TestParamInfo<std::string_view>& at) { return std::string(at.param); });

/// From the table of the program.
TEST(AnOptionWithoutEffect, IsRefusedBesideTheOneThatMakesItSo) {
    for (const IdleOptions& row : all_idle_options()) {
        if (!row.use.starts_with("--")) continue;
        for (const std::string_view command : split(row.commands, ' '))
            for (const std::string_view option : options_of(row)) {
                if (!requests::takes(command, *option_named(option))) continue;
                Line line = line_of(command);
                for (const std::string_view word : split(row.use, ' ')) line.emplace_back(word);
                const kport::Option& beside = *option_named(row.use.substr(0, row.use.find(' ')));
                if (!beside.value.empty() && row.use.find(' ') == std::string_view::npos) line.emplace_back("1");
                EXPECT_EQ(refusal(line).find("has no effect"), std::string::npos)
                    << fmt::format("{}", fmt::join(line, " "));
                line.emplace_back(option);
                if (!option_named(option)->value.empty()) line.emplace_back("1");
                EXPECT_NE(refusal(line).find(fmt::format("{} has no effect beside {}", option, row.use)),
                          std::string::npos)
                    << fmt::format("{}: {}", fmt::join(line, " "), refusal(line));
            }
    }
}

TEST(CommandLineReader, ForgetsTheLineBefore) {
    CommandLineReader reader(usual_width);
    const std::vector<Line> lines = {{"kport", "run", "broadcast", "--on", "mesh:4x4", "--json", "--ports", "2"},
                                     {"kport", "run", "scatter"},
                                     {"kport", "run", "scatter", "--ports"},
                                     {"kport", "run", "scatter", "--port"},
                                     {"kport", "list"},
                                     {"kport"},
                                     {"kport", "compare", "scan", "--sweep", "line:1", "line:2"},
                                     {"kport", "rum"},
                                     {"kport", "run"}};
    for (const Line& line : lines) {
        const auto answer = [&](auto&& read) {
            try {
                return std::pair(read(), std::string());
            } catch (const RequestError& error) {
                return std::pair(Words(), std::string(error.what()));
            }
        };
        std::vector<const char*> argv;
        for (const std::string& word : line) argv.push_back(word.c_str());
        EXPECT_EQ(answer([&] { return reader.read(static_cast<int>(argv.size()), argv.data()); }),
                  answer([&] { return read(line); }))
            << line.back();
    }
}

struct Hint {
    Line line;  ///< behind "kport"
    std::string answer;
};

std::string answer_to(Line line) {
    line.insert(line.begin(), "kport");
    return refusal(line);
}

std::string unknown(const std::string& option, const std::string& hint) {
    return fmt::format("unknown option '{}'{} ('kport run --help' shows all)", option, hint);
}

/// `run broadcast --on ring:4` and one option that there is not.
Hint wrong_option(const std::string& option, const std::string& hint) {
    return {{"run", "broadcast", "--on", "ring:4", option}, unknown(option, hint)};
}

TEST(AnUnknownOption, ThatOtherProgramsHaveIsTranslated) {
    for (const auto& [word, option] : std::vector<std::pair<std::string, std::string>>{{"--cores", "--threads"},
                                                                                       {"--cpus", "--threads"},
                                                                                       {"--workers", "--threads"},
                                                                                       {"--jobs", "--threads"},
                                                                                       {"--hop", "--td"},
                                                                                       {"--hops", "--td"},
                                                                                       {"--latency", "--ts"},
                                                                                       {"--alpha", "--ts"},
                                                                                       {"--beta", "--tm"},
                                                                                       {"--src", "--source"},
                                                                                       {"--origin", "--source"},
                                                                                       {"--msgsize", "--bytes"},
                                                                                       {"--message-size", "--bytes"},
                                                                                       {"--length", "--bytes"},
                                                                                       {"--count", "--packets"},
                                                                                       {"--segments", "--packets"},
                                                                                       {"--chunks", "--packets"},
                                                                                       {"--topo", "--on"},
                                                                                       {"--net", "--on"},
                                                                                       {"--dtype", "--type"},
                                                                                       {"--datatype", "--type"},
                                                                                       {"--operator", "--op"},
                                                                                       {"--save", "--record"},
                                                                                       {"--price", "--prices"},
                                                                                       {"-o", "--record"}}) {
        const Hint hint = wrong_option(word, fmt::format("; did you mean '{}'?", option));
        EXPECT_EQ(answer_to(hint.line), hint.answer);
    }
}

TEST(AnUnknownOption, IsAnsweredWithNoWordOfAnotherMeaning) {
    for (const char* word : {"--cost", "--ranks", "--initial", "--np"}) {
        EXPECT_EQ(answer_to(wrong_option(word, "").line), unknown(word, ""));
    }
}

TEST(AnUnknownOption, ThatIsAValueIsAnsweredWithItsOption) {
    for (const auto& [word, options_meant] :
         std::vector<std::pair<std::string, std::string>>{{"--wormhole", "--switching wh"},
                                                          {"--wh", "--switching wh"},
                                                          {"--sf", "--switching sf"},
                                                          {"--half", "--duplex half or --links half"},
                                                          {"--half-duplex", "--duplex half or --links half"},
                                                          {"--all-ports", "--ports all or --relay all"},
                                                          {"--one-port", "--ports 1"},
                                                          {"--strict", "--noho strict or --policy strict"},
                                                          {"--free", "--engine free"}}) {
        EXPECT_EQ(answer_to(wrong_option(word, "").line), unknown(word, "; want " + options_meant));
    }
}

TEST(AWrongRequest, IsAnsweredWithTheRightOne) {
    const std::vector<Hint> hints = {
        {{"run", "broadcast", "--help=3"}, "--help takes no value, but '--help=3' gives one"},
        {{"bounds", "ring:4"}, "'ring:4' is a topology; want kport bounds OPERATION --on ring:4"},
        {{"run", "broadcast", "--on", "ring:4", "on=ring:3"}, "unexpected 'on=ring:3' after 'broadcast'"},
        {{"run", "broadcast", "--on", "torus:4", "x", "4"},
         "unexpected 'x' after 'broadcast'; a value is one word: --on torus:4x4"},
        {{"bounds", "broadcast", "--on", "ring:4", "--engine", "free"},
         "kport bounds takes no '--engine'; it runs nothing"},
        {{"explain", "scan", "--on", "line:4", "--order", "3"},
         "--order '3': no nodes run, so they have no order; want --order preorder, which a scan takes, or leave "
         "--order out"},
        {{"run", "barrier", "--on", "ring:4", "--bytes", "8"},
         "--bytes '8': there are no bytes in the signals of a barrier; leave --bytes out"},
        {{"bounds", "barrier", "--on", "ring:4", "--root", "1"}, "--root '1': barrier has no source; leave --root out"},
        {{"info", "--on", "ring:4"}, "kport info takes no '--on'; want kport info ring:4"},
        {{"info", "--on=ring:4"}, "kport info takes no '--on'; want kport info TOPOLOGY"},
        {{"show", "broadcast", "--on", "ring:4", "--json"}, "kport show takes no '--json'; want --as json"},
        {{"run", "alltoall", "--on", "ring:4", "--root", "0"}, "--root '0': alltoall has no source; leave --root out"},
        {{"run", "alltoall", "--on", "ring:4", "--source", "0"},
         "--source '0': alltoall has no source; leave --source out"},
        {{"run", "broadcast", "--on", "ring:4", "--algorithm", "dost,layered"},
         "--algorithm 'dost,layered': one algorithm at a time; 'kport compare' takes several"},
        {{"run", "broadcast", "--on", "ring:4", "--packets", "1,4"},
         "--packets '1,4': one machine has one value; 'kport compare' takes several"},
        {{"compare", "broadcast", "--on", "ring:4", "--algorithm", "dost,,layered"},
         "--algorithm 'dost,,layered': want each name once, with a comma between two"},
        {{"run", "reduce", "--on", "ring:4", "--type", "float64"},
         "--type 'float64' is unknown; did you mean 'double'? (int64, int32, uint64, double, float, float16, bfloat16, "
         "string)"},
        {{"run", "reduce", "--on", "ring:4", "--type", "bf16"},
         "--type 'bf16' is unknown; did you mean 'bfloat16'? (int64, int32, uint64, double, float, float16, bfloat16, "
         "string)"},
        {{"run", "broadcast", "--on", "ring:4", "--keep", "bigger"},
         "--keep 'bigger' is unknown; did you mean 'greater'? (smaller, greater)"},
    };
    for (const Hint& hint : hints) EXPECT_EQ(answer_to(hint.line), hint.answer);
    for (const auto& [word, command] : std::vector<std::pair<std::string, std::string>>{{"verify", "check"},
                                                                                        {"validate", "check"},
                                                                                        {"audit", "check"},
                                                                                        {"judge", "check"},
                                                                                        {"draw", "show"},
                                                                                        {"plot", "show"},
                                                                                        {"simulate", "run"},
                                                                                        {"sim", "run"},
                                                                                        {"exec", "run"},
                                                                                        {"comp", "compare"},
                                                                                        {"comparison", "compare"}})
        EXPECT_EQ(refusal({"kport", word}),
                  fmt::format("unknown command '{}'; did you mean '{}'? ('kport --help' shows all)", word, command));
}

TEST(Help, SaysOfAnOptionWhatItIsToTheCommand) {
    const auto about = [](const char* command, const std::string& option) {
        const std::string help = read({"kport", command, "--help"}).help;
        const std::size_t at = help.find("\n  " + option);
        return help.substr(at, help.find("\n  --", at + 1) - at);
    };
    EXPECT_EQ(about("search", "--for").find("stress"), std::string::npos);
    EXPECT_NE(about("search", "--for").find("60s (default)"), std::string::npos);
    EXPECT_EQ(about("stress", "--for").find("60s"), std::string::npos);
    EXPECT_EQ(about("run", "--source").find("several"), std::string::npos);
    EXPECT_NE(about("search", "--source").find("several"), std::string::npos);
    EXPECT_EQ(read({"kport", "show", "--help"}).help.find("--json"), std::string::npos);
}

/// The table above has every option.
TEST(OptionsOfThisTest, AreThoseOfTheHelp) {
    for (const char* command : {"run", "compare", "bench", "stress", "bounds", "explain", "list", "chip"}) {
        const std::string help = read({"kport", command, "--help"}).help;
        std::size_t shown = 0;
        for (std::size_t at = 0; (at = help.find("\n  --", at)) != std::string::npos; ++at) ++shown;
        const auto known = static_cast<std::size_t>(
            std::ranges::count_if(options, [&](const Option& option) { return takes(option.of, command); }));
        EXPECT_EQ(shown, known) << help;
    }
}

}  // namespace
}  // namespace kport::cli
