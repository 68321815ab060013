/// @file effects_test.cpp   No option is ignored: in every use of every command each option of the table changes what is printed or
///                          written, or is refused.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/requests/command_table.hpp"
#include "emulator/base/nearest.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

/// Values that differ from the defaults and from what the lines below say; @ is the folder of the test.
const std::map<std::string_view, std::string_view> other_values = {
    {"--on", "mesh:4x3"},
    {"--sweep", "line:{3,4}"},
    {"--broken", "0--1"},
    {"--unaware", ""},
    {"--format", "edges"},
    {"--undirected", ""},
    {"--trunks", ""},
    {"--capacity-by", "lanes"},
    {"--simplify", ""},
    {"--largest", ""},
    {"--header", "yes"},
    {"--separator", "tab"},
    {"--switches", "0"},
    {"--least", "rounds,volume"},
    {"--algorithm", "farthest-first"},
    {"--with", "@/none.cpp"},
    {"--ports", "2"},
    {"--ports-by", "ports"},
    {"--duplex", "half"},
    {"--links", "half"},
    {"--pairwise", ""},
    {"--noho", "strict"},
    {"--switch-limit", "2"},
    {"--routing", "adaptive"},
    {"--switching", "wh"},
    {"--combining", "off"},
    {"--rules", "noho=off"},
    {"--aggregate", "2"},
    {"--ports-at-most", "1"},
    {"--permutation", "shift:2"},
    {"--source", "1"},
    {"--bytes", "128"},
    {"--promise", "all-held"},
    {"--packets", "3"},
    {"--sources", "1,2"},
    {"--counts", "0,1,2,3"},
    {"--sizes", "0,8,16,24"},
    {"--members", "0,1"},
    {"--relay", "all"},
    {"--groups", "0,1/2,3"},
    {"--intra", "rda"},
    {"--inter", "rda"},
    {"--payload", "none"},
    {"--ts", "7"},
    {"--td", "7"},
    {"--tm", "7"},
    {"--prices", "logp:6,2,4"},
    {"--td-by", "weight"},
    {"--tm-by", "weight"},
    {"--slow", "0--1=4"},
    {"--policy", "strict"},
    {"--keep", "greater"},
    {"--dimensions", "1,0"},
    {"--arity", "3"},
    {"--gather", "ring"},
    {"--op", "max"},
    {"--type", "double"},
    {"--values", "8,7,6,5,4,3,2,1"},
    {"--engine", "free"},
    {"--threads", "1"},
    {"--seed", "7"},
    {"--per-round", ""},
    {"--hotspots", ""},
    {"--reproducible", ""},
    {"--json", ""},
    {"--csv", ""},
    {"--inject", "drop"},
    {"--max-rounds", "1"},
    {"--until", "1"},
    {"--order", "5"},
    {"--partition-nodes", "2"},
    {"--record", "@/x.json"},
    {"--proof", "@/x.drat"},
    {"--trace", "@/x.trace"},
    {"--picture", "@/x.svg"},
    {"--as", "dot"},
    {"--output", "@/x.txt"},
    {"--rounds", "1-1"},
    {"--shape", "slide"},
    {"--width", "800"},
    {"--operation", "gather"},
    {"--for", "60s"},
    {"--mode", "telephone"},
    {"--cases", "3"},
    {"--case", "2"},
    {"--nodes", "9"},
    {"--sample", "3"},
    {"--calibrated", "@/none"},
    {"--calibrate", "@/none/none"},
    {"--message", "1KiB"},
    {"--plot", "@/x.svg"},
    {"--plot-of", "rounds"},
    {"--plot-over", "ports"},
    {"--plot-as", "matrix"},
    {"--to", "csv"},
    {"--replay", ""},
    {"--repair", ""},
    {"--repetitions", "3"},
    {"--starts", "2"},
};

/// A line, and the options whose effect is not in what it prints.
struct CommandUse {
    std::string line;
    std::string unseen = "";
};

/// They say how a run is carried out, which shows in its time or memory alone.
/// --ports-at-most 1 is what a 1-port machine allows anyway; `run` repeats it.
const std::string of_carrying_out =
    " --ports-at-most --threads --seed --order --partition-nodes --payload --engine --type --values --op";
/// What a table of a line for each file has no column for: they decide what is judged.
const std::string of_judging =
    " --sizes --ports --ports-by --duplex --links --pairwise --noho --switching --bytes --ts --td --tm --prices --slow "
    "--policy";

/// What has no time in reports of so little.
const std::string of_timing = " --reproducible";

const std::vector<CommandUse> command_uses = {
    {"run broadcast --on mesh:3x4", of_carrying_out},
    {"run broadcast --on mesh:3x4 --payload none", of_carrying_out},
    {"run reduce --on hypercube:3", of_carrying_out},
    {"run reduce --on hypercube:3 --payload none", of_carrying_out},
    {"run barrier --on ring:6", of_carrying_out},
    {"run permutation --on ring:6 --permutation shift:3", of_carrying_out},
    {"bounds broadcast --on mesh:3x4"},
    {"bounds reduce --on hypercube:3",
     " --op"},                                // which decides what a run may do, and is in the bounds if it is concat
    {"bounds barrier --on line:6", " --tm"},  // a price that is not paid
    {"explain broadcast --on mesh:3x4", " --payload"},  // it decides which algorithms fit into memory
    {"explain allreduce --on hypercube:3", " --payload --op"},
    {"explain broadcast --on mesh:3x4 --message 64"},
    {"show broadcast --on mesh:3x4", of_carrying_out + " --policy"},  // no node asks for more ports than there are
    {"show reduce --on hypercube:3", of_carrying_out + " --policy"},
    {"show @/scatter.txt"},
    {"check @/scatter.txt"},
    {"check @/alltoall.txt"},
    {"check @/folder", of_judging + of_timing},
    {"check @/folder --csv", of_judging + of_timing},
    {"convert mesh:2x2 --to dot"},
    {"convert @/scatter.txt --to text"},
    {"convert @/scatter.txt --to json"},
    {"convert @/alltoall.txt --to goal"},
    {"compare broadcast --on mesh:3x4", of_carrying_out + of_timing},
    {"compare reduce --on hypercube:3", of_carrying_out + of_timing},
    {"compare broadcast --on mesh:3x4 --algorithm dost", of_carrying_out + of_timing},
    {"compare broadcast --on mesh:3x4 --message 64..128", of_timing},
    {"list algorithms barrier"},
    {"info petersen"},
    {"search broadcast --on ring:5", " --for" + of_timing},
    {"search allgather --on ring:5", " --for" + of_timing},
    {"tolerance broadcast --on ring:5", " --for --threads"},
    {"tolerance broadcast --on ring:5 --algorithm farthest-first --unaware", " --for"},
    {"run broadcast --on mesh:3x4 --broken 0--1 --unaware", of_carrying_out},
    {"stress --cases 2", " --for --threads"},
    {"stress --case 2 --nodes 6", " --threads"},
};

class AnOption : public testing::TestWithParam<CommandUse> {
  protected:
    AnOption() {
        const char* scatter = "on ring:4\nscatter from 0\nround 1: 0 -> 1 {1..2}\nround 2: 1 -> 2 {2}, 0 -> 3 {3}\n";
        files_.add("scatter.txt", scatter);
        files_.add("alltoall.txt", "on line:2\nalltoall\nround 1: 0 -> 1 {0>1}, 1 -> 0 {1>0}\n");
        std::filesystem::create_directory(files_.folder() + "/folder");
        files_.add("folder/scatter.txt", scatter);
    }

    /// What a user sees, without times and without the command itself; and which files there are.
    [[nodiscard]] std::string seen(const std::string& line, bool* is_refused = nullptr) const {
        const Outcome outcome = kport(std::regex_replace(line, std::regex("@"), files_.folder()));
        if (is_refused != nullptr) *is_refused = outcome.status == 2 && outcome.out.empty() && !outcome.err.empty();
        static const std::regex timed(
            R"re((chip|again|audit) [^\n]*|[0-9.]+ (ns|us|ms|s)\b|\b[0-9]{4,}\b|"(again|seconds|wall_seconds)"[^\n]*)re");
        std::string all = std::regex_replace(outcome.out + "\f" + outcome.err, timed, "");
        for (const auto& file : std::filesystem::directory_iterator(files_.folder())) {
            all += file.path().filename().string() + " ";
            if (file.path().filename().string().starts_with("x.")) std::filesystem::remove(file.path());
        }
        return std::regex_replace(all, std::regex(" +"), " ");
    }

    Files files_;
};

TEST_P(AnOption, HasAnEffectOrIsRefused) {
    const auto& [line, unseen] = GetParam();
    const std::string without = seen(line);
    for (const kport::Option& option : all_options()) {
        const bool is_there = fmt::format(" {} ", line).find(fmt::format(" {} ", option.name)) != std::string::npos;
        if (!requests::takes(line.substr(0, line.find(' ')), option) || is_there) continue;
        ASSERT_TRUE(other_values.contains(option.name)) << option.name << " needs a value in this test";
        const std::string with = fmt::format("{} {} {}", line, option.name, other_values.at(option.name));
        bool is_refused = false;
        const std::string now = seen(with, &is_refused);
        if (is_refused || has_word(unseen, option.name)) continue;
        EXPECT_NE(now, without) << with << " ignores " << option.name;
    }
}

INSTANTIATE_TEST_SUITE_P(OfEachUse, AnOption, testing::ValuesIn(command_uses), [](const auto& at) {
    std::string name = at.param.line;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
});

}  // namespace
}  // namespace kport::test
