/// @file commands_test.cpp   kport alone, --help, --version, list, bounds, explain, compare.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Help, NamesEveryCommandAndTheExitStatuses) {
    const Outcome help = kport("--help");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    for (const char* word : {"usage: kport COMMAND", "run", "compare", "bounds", "list", "explain", "Exit status"})
        EXPECT_THAT(help.out, HasSubstr(word));
    EXPECT_EQ(kport("help").out, help.out);
}

TEST(Kport, AloneShowsCommandsThatWork) {
    const Outcome alone = kport("");
    EXPECT_EQ(alone.status, 0);
    EXPECT_EQ(alone.err, "");
    std::istringstream lines(alone.out);
    std::vector<std::string> commands;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  kport ")) commands.push_back(line.substr(8, line.find("   ", 8) - 8));
    ASSERT_EQ(commands.size(), 6U);
    std::erase_if(commands, [](const std::string& command) { return command.starts_with("new"); });  // writes a file
    for (const std::string& command : commands) EXPECT_EQ(kport(command).status, 0) << command;
}

TEST(Help, OfEachCommandHasAtMost69Lines) {
    Place place;
    place.columns = "80";
    for (const char* command :
         {"compare", "bench", "show", "explain", "bounds", "check", "convert", "search", "stress"}) {
        const std::string help = kport(std::string(command) + " --help", place).out;
        EXPECT_LE(std::ranges::count(help, '\n'), 69) << help;
    }
}

TEST(Help, HasOptionsInGroupsOnAScreenOf69Lines) {
    Place place;
    place.columns = "80";
    const std::string help = kport("run --help", place).out;
    EXPECT_LE(std::ranges::count(help, '\n'), 69) << help;
    std::size_t at = 0;
    for (const char* group : {"Machine:", "Algorithm:", "Payload:", "Prices:", "Run:", "Output:"}) {
        at = help.find(std::string("\n") + group + "\n", at);
        EXPECT_NE(at, std::string::npos) << group;
    }
}

TEST(Help, OfACommandNamesItsOptions) {
    const Outcome help = kport("run --help");
    EXPECT_EQ(help.status, 0);
    for (const char* word : {"--on TOPOLOGY", "--algorithm NAME", "--ports K", "--duplex", "--switching", "--combining",
                             "--source,--root NODE", "--bytes SIZE", "--payload", "--ts X", "--td X", "--tm X",
                             "--policy", "--engine", "--threads N", "--seed S", "--per-round", "--json"})
        EXPECT_THAT(help.out, HasSubstr(word));
}

TEST(Version, IsPrinted) { EXPECT_THAT(kport("--version").out, StartsWith("kport 0.")); }

TEST(List, NamesOperationsAlgorithmsAndTopologies) {
    EXPECT_THAT(kport("list operations").out, testing::ContainsRegex("\nbroadcast +OAB "));
    EXPECT_THAT(kport("list algorithms").out, testing::ContainsRegex("\nbroadcast +sbt, "));
    EXPECT_THAT(kport("list algorithms broadcast").out, testing::ContainsRegex("\nbroadcast +sbt +hypercube"));
    EXPECT_THAT(kport("list topologies").out, testing::ContainsRegex("\nhypercube +hypercube:D "));
    const std::string all = kport("list").out;
    for (const char* word : {"alltoall", "controlled-flooding", "complete:N"}) EXPECT_THAT(all, HasSubstr(word));
    const nlohmann::json json = kport("list --json").json();
    EXPECT_EQ(json["operations"].size(), 15U);  // and promise
    EXPECT_EQ(json["topologies"][0]["topology"], "hypercube");
    EXPECT_GE(json["algorithms"].size(), 10U);
}

TEST(Bounds, NeedNoMemory) {
    const Outcome outcome = kport("bounds broadcast --on hypercube:40");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out,
                HasSubstr("rounds                           40   fan-out: ceil(log2 1099511627776)   Lemma 1"));
    EXPECT_THAT(outcome.out, HasSubstr("work (hops)       1,099,511,627,775   one copy per other node"));
    const nlohmann::json json = kport("bounds broadcast --on hypercube:40 --json").json();
    EXPECT_EQ(json["bounds"]["work"], 1099511627775);
    EXPECT_EQ(json["reachable"]["rounds"]["answer"], "yes");
    EXPECT_EQ(json["arguments"]["rounds"][0]["value"], 40);
}

TEST(Bounds, RefuseTheOptionsOfARunAndServeOperationsWithoutAlgorithms) {
    for (const std::string option : {"--threads 2", "--payload none", "--algorithm dost", "--seed 3", "--per-round"}) {
        const Outcome outcome = kport("bounds broadcast --on mesh:4x4 " + option);
        EXPECT_EQ(outcome.status, 2) << option;
        EXPECT_THAT(outcome.err, HasSubstr("'; it runs nothing")) << option;
    }
    for (const char* operation : {"scatter", "gather", "reduce", "allreduce", "scan", "allgather", "alltoall"})
        EXPECT_EQ(kport(std::string("bounds --on ring:9 ") + operation).status, 0) << operation;
}

/// What a run refuses is refused where nothing runs, in the same words.
TEST(ExplainAndCompare, RefuseAnAlgorithmAndItsOptionsAsARunDoes) {
    for (const char* wrong :
         {"--algorithm nosuch", "--algorithm sbt", "--dimensions 9", "--dimensions 9 --switching wh", "--keep greater",
          "--algorithm rda-product --switching wh --dimensions 0,0", "--algorithm dost --keep smaller"}) {
        const auto told = [&](const std::string& command) {
            const Outcome outcome = kport(command + " broadcast --on mesh:3x4 " + wrong);
            EXPECT_EQ(outcome.status, 2) << command << " " << wrong;
            EXPECT_EQ(outcome.out, "") << command << " " << wrong;
            return outcome.err;
        };
        const std::string by_run = told("run");
        EXPECT_THAT(by_run, HasSubstr("kport: "));
        for (const char* command : {"explain", "compare"}) EXPECT_EQ(told(command), by_run) << command;
    }
    EXPECT_EQ(kport("bounds allreduce --on ring:5 --op concat").status, 0);
}

TEST(Explain, DerivesBoundsAndCosts) {
    const Outcome outcome = kport("explain broadcast --on torus:5x5 --algorithm dost");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("rounds >= 5\n  fan-out: ceil(log2 25)  gives 5\n"));
    EXPECT_THAT(outcome.out, HasSubstr("  eccentricity of node 0  gives 4\n"));
    EXPECT_THAT(outcome.out, HasSubstr("algorithm dost: dimension-ordered spanning tree"));
    EXPECT_THAT(outcome.out, HasSubstr("so rounds 6, work 24, path sum 6, volume 6 packets\n"));
    EXPECT_EQ(kport("explain broadcast --on hypercube:40").status, 0);
    const nlohmann::json json = kport("explain broadcast --on hypercube:4 --algorithm sbt --json").json();
    EXPECT_EQ(json["expected"]["rounds"], 4);
    EXPECT_FALSE(json["derivation"].empty());
}

TEST(Compare, RunsAllThatApplyAndSaysWhyOthersDoNot) {
    const Outcome outcome = kport("compare broadcast --on mesh:8x8");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("\ndost                      14     63         14      896    14.896 "));
    EXPECT_THAT(outcome.out, HasSubstr("\ndost-nearest-first        21     63         21     1344    22.344 "));
    EXPECT_THAT(outcome.out, HasSubstr("\n(bound)                   14     63         14      896    14.896\n"));
    EXPECT_THAT(outcome.out, ContainsRegex("\nsbt +needs a hypercube\n"));
}

TEST(Compare, ShowsTheRoundsOfEachAlgorithm) {
    const std::string out = kport("compare broadcast --on mesh:2x3 --per-round").out;
    for (const char* rounds : {R"(
dost, round by round

round   messages   longest path   largest bundle   bytes   reached
    1          1              1               64      64         2
    2          2              1               64     128         4
    3          2              1               64     128         6
)",
                               R"(
dost-nearest-first, round by round

round   messages   longest path   largest bundle   bytes   reached
    1          1              1               64      64         2
    2          2              1               64     128         4
    3          1              1               64      64         5
    4          1              1               64      64         6
)"})
        EXPECT_THAT(out, HasSubstr(rounds));
}

TEST(Compare, LeavesOutWhatBreaksARuleByDesignUnlessItIsNamed) {
    const Outcome all = kport("compare broadcast --on ring:6 --ports all --json");
    EXPECT_EQ(all.status, 0);
    const nlohmann::json json = all.json();
    for (const auto& run : json["runs"]) EXPECT_NE(run["algorithm"], "flooding");
    EXPECT_THAT(
        kport("compare broadcast --on ring:6 --ports all").out,
        ContainsRegex("\nflooding +breaks NODUP on graphs with a cycle, by design .--algorithm flooding runs it."));
    EXPECT_EQ(json["bounds"]["rounds"], 3);
    EXPECT_EQ(json["stopped"], false);

    const Outcome named = kport("compare broadcast --on ring:6 --ports all --algorithm flooding --json");
    EXPECT_EQ(named.status, 1);
    ASSERT_EQ(named.json()["runs"].size(), 1U);
    EXPECT_GT(named.json()["runs"][0]["violation_count"], 0);

    const nlohmann::json tree = kport("compare broadcast --on line:6 --ports all --json").json();
    EXPECT_EQ(std::ranges::count_if(tree["runs"], [](const auto& run) { return run["algorithm"] == "flooding"; }), 1);
}

/// Node 0 is no choice of the user's: the report says so where another would do better.
TEST(Allreduce, SaysThroughWhichRootItGoesAndWhichWouldCostLess) {
    const std::string by_default = kport("run allreduce --algorithm tree-exchange --on line:9 --bytes 8").out;
    EXPECT_THAT(by_default, HasSubstr("allreduce through node 0 on line:9 "));
    EXPECT_THAT(by_default, HasSubstr("root 0 by default: 15.12; through node 4 (--source 4) it would cost 9.072"));
    EXPECT_EQ(kport("run allreduce --algorithm tree-exchange --on line:9 --json").json()["source"], 0);
    EXPECT_THAT(kport("run allreduce --algorithm tree-exchange --on line:9 --source 0").out,
                Not(HasSubstr("by default")));
    EXPECT_THAT(kport("run allreduce --algorithm tree-exchange --on ring:9").out, Not(HasSubstr("by default")));
    const std::string middle = kport("run allreduce --algorithm tree-exchange --on line:9 --bytes 8 --source 4").out;
    EXPECT_THAT(middle, HasSubstr("through node 4"));
    EXPECT_THAT(middle, HasSubstr(" 9.072 "));
    EXPECT_EQ(kport("run allreduce --on hypercube:3 --json").json()["source"], nullptr);
}

TEST(Report, NamesTheScheduleThatMeetsABoundIfNoAlgorithmHasItsName) {
    EXPECT_THAT(kport("run alltoall --on hypercube:3").out,
                HasSubstr("note    work: collecting and distributing along a tree meets it"));
    EXPECT_THAT(kport("run broadcast --on mesh:4x4 --algorithm controlled-flooding").out, Not(HasSubstr("note")));
}

TEST(List, OfOneOperationHasItsAlgorithmsAlone) {
    const nlohmann::json json = kport("list algorithms allreduce --json").json();
    const auto of_allreduce = [](const Algorithm& row) { return row.operation == Operation::allreduce; };
    const auto in_catalogue = static_cast<std::size_t>(std::ranges::count_if(catalogue(), of_allreduce));
    ASSERT_EQ(json["algorithms"].size(), in_catalogue + 2);  // searched and exact, which the program adds
    for (const auto& row : json["algorithms"]) EXPECT_EQ(row["operation"], "allreduce");
    EXPECT_EQ(json.size(), 1U);
    EXPECT_EQ(kport("list algorithms OAB --json").json()["algorithms"][0]["operation"], "broadcast");
}

TEST(Compare, OfOneAlgorithmShowsIt) {
    const nlohmann::json json = kport("compare broadcast --on mesh:8x8 --algorithm dost --json").json();
    ASSERT_EQ(json["runs"].size(), 1U);
    EXPECT_EQ(json["runs"][0]["algorithm"], "dost");
}

}  // namespace
}  // namespace kport::test
