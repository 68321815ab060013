/// @file search_test.cpp   kport search: text, JSON with the columns of the reference's table, status, the recorded schedule.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/files/schedule_file.hpp"
#include "tests/cli/kport.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

bool without_solver() { return kport("search broadcast --on line:3 --json").json()["solver"].is_null(); }

TEST(Search, RefusesOneFileForScheduleAndProof) {
    const Outcome outcome =
        kport("search broadcast --on debruijn:2,4 --source 2 --proof /tmp/none/p.json --record /tmp/none/./p.json");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, testing::HasSubstr("--record and --proof both name"));
}

TEST(SearchCommand, TellsTheFewestRoundsAndWhyNoFewerSuffice) {
    const Outcome refuted = kport("search broadcast --on debruijn:2,4 --source 2");
    EXPECT_EQ(refuted.status, 0);
    EXPECT_EQ(refuted.err, "");
    EXPECT_THAT(refuted.out, StartsWith("broadcast on debruijn:2,4 from 2, 1-port: exactly 5 rounds\n"));
    EXPECT_THAT(refuted.out, HasSubstr("all rules kept, 16 of 16 nodes hold the packet\n"));
    EXPECT_THAT(refuted.out, HasSubstr("fewer     there is no schedule of 4 rounds, by search\n"));
    const Outcome met = kport("search broadcast --on mesh:3x3 --source 0,8 --ports 2");
    EXPECT_THAT(met.out, StartsWith("broadcast on mesh:3x3 from 0 (0,0) and 8 (2,2), 2-port: exactly 2 rounds\n"));
    EXPECT_THAT(met.out, HasSubstr("fewer     the lower bound is 2: eccentricity\n"));
}

TEST(SearchCommand, TellsWhatIsHeldAsARunDoes) {
    using testing::ContainsRegex;
    const auto found = [](std::string_view words) { return kport(fmt::format("search {}", words)).out; };
    constexpr const char* space = "[[:space:]]+";
    EXPECT_THAT(found("gather --on hypercube:3 --source 5"),
                ContainsRegex(fmt::format("kept,{0}node{0}5{0}holds{0}8{0}of{0}8{0}packets", space)));
    EXPECT_THAT(
        found("reduce --on ring:4 --packets 2"),
        ContainsRegex(fmt::format("kept,{0}node{0}0{0}holds{0}the{0}contributions{0}of{0}4{0}of{0}4{0}nodes", space)));
    EXPECT_THAT(found("barrier --on ring:4"), ContainsRegex(fmt::format("4{0}nodes{0}know{0}that{0}all", space)));
}

TEST(SearchCommand, GivesTheColumnsOfTheReferencesTableAsJson) {
    const nlohmann::json broadcast = kport("search broadcast --on ccc:3 --source 0,5 --json").json();
    EXPECT_EQ(broadcast["operation"], "broadcast");
    EXPECT_EQ(broadcast["topology"], "ccc:3");
    EXPECT_EQ(broadcast["sources"], nlohmann::json({0, 5}));
    EXPECT_EQ(broadcast["ports"], 1);
    EXPECT_TRUE(broadcast["mode"].is_null());
    EXPECT_EQ(broadcast["nodes"], 24);
    EXPECT_EQ(broadcast["bound_rounds"], broadcast["rounds_minimum"]);
    EXPECT_EQ(broadcast["proof"], "bound met");
    if (without_solver()) GTEST_SKIP() << "built without a solver";
    const nlohmann::json gossip = kport("search allgather --on ring:5 --mode telegraph --json").json();
    EXPECT_EQ(gossip["mode"], "telegraph");
    EXPECT_EQ(gossip["rounds_minimum"], 6);
    EXPECT_EQ(gossip["proof"], "refuted");
    EXPECT_GT(gossip["tried"].back()["clauses"], 0);
}

TEST(SearchCommand, ReadsNodesAsARunDoesWithASemicolonBetweenThem) {
    const nlohmann::json json =
        kport({"search", "broadcast", "--on", "mesh:4x4", "--source", "0,1;3,2", "--json"}).json();
    EXPECT_EQ(json["sources"], nlohmann::json({1, 14}));
}

TEST(SearchCommand, EndsWithStatus4AndTheBestScheduleWhenTheTimeIsOver) {
    const Outcome outcome = kport("search broadcast --on debruijn:2,10 --for 0.01 --json");
    EXPECT_EQ(outcome.status, 4);
    const nlohmann::json json = outcome.json();
    EXPECT_TRUE(json["rounds_minimum"].is_null());
    EXPECT_TRUE(json["proof"].is_null());
    EXPECT_LT(json["between"][0], json["between"][1]);
    EXPECT_EQ(json["lawful"], true);
    EXPECT_EQ(json["transfers"], 1023);
}

TEST(SearchCommand, RecordsTheSchedule) {
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "schedule.json";
    ASSERT_EQ(kport("search broadcast --on petersen --record " + path).status, 0);
    std::ifstream file(path);
    const ScheduleFile read = read_schedule(file, path);
    EXPECT_EQ(read.topology, "petersen");
    EXPECT_EQ(read.schedule.rounds(), 4U);
    ASSERT_TRUE(read.machine.has_value());
    EXPECT_EQ(read.machine->ports, PortLimit(1));
    std::filesystem::remove_all(folder);
    const Outcome nowhere = kport("search broadcast --on petersen --record /no/such/folder/x");
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("--record '/no/such/folder/x': there is no folder '/no/such/folder'"));
}

TEST(SearchCommand, RecordsAScheduleOfTheLeastWorkWhereThatIsAsked) {
    if (without_solver()) GTEST_SKIP() << "built without a solver";
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "work.txt";
    for (const char* asked :
         {"broadcast --on ring:5", "allreduce --on complete:5", "barrier --on complete:5", "reduce-scatter --on ring:4",
          "allreduce --on complete:4 --packets 3 --combining off", "scatter --on ring:6 --ports all --combining off",
          "scan --on mesh:2x3", "permutation --permutation shift:1 --on hypercube:3"}) {
        const Outcome found = kport(fmt::format("search {} --least work --json --record {}", asked, path));
        ASSERT_EQ(found.status, 0) << asked;
        const nlohmann::json judged = kport("check " + path + " --json").json();
        EXPECT_EQ(judged["measured"]["work"], found.json()["work_least"]) << asked;
        EXPECT_EQ(judged["lawful"], true) << asked;
    }
    std::filesystem::remove_all(folder);
    const Outcome text = kport("search scan --on mesh:2x3 --least work");
    EXPECT_THAT(text.out, HasSubstr("schedule  7 rounds, found by search"));
    EXPECT_THAT(text.out, HasSubstr("rounds    exactly 3 rounds are the fewest of all schedules"));
}

TEST(SearchCommand, RecordsWhoHadThePacketOfABroadcastFromSeveralSources) {
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "schedule.json";
    for (const char* on : {"mesh:3x3 --source 0,8", "ring:5 --source 1,0 --ports 2", "petersen --source 2,7"}) {
        ASSERT_EQ(kport(fmt::format("search broadcast --on {} --record {}", on, path)).status, 0) << on;
        const Outcome checked = kport("check " + path);
        EXPECT_EQ(checked.status, 0) << on << checked.err;
        EXPECT_THAT(checked.out, HasSubstr("all rules kept")) << on;
    }
    std::filesystem::remove_all(folder);
}

TEST(SearchCommand, WritesTheProofThatNoScheduleHasOneRoundFewer) {
    if (without_solver()) GTEST_SKIP() << "built without a solver";
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "proof.drat";
    const Outcome told = kport("search broadcast --on debruijn:2,4 --source 2 --proof " + path);
    EXPECT_EQ(told.status, 0);
    EXPECT_THAT(told.out, HasSubstr("\nproof     there is no schedule of 4 rounds: "));
    std::ifstream formula(path + ".cnf");
    std::string line;
    std::getline(formula, line);
    EXPECT_THAT(line, StartsWith("p cnf "));
    EXPECT_GT(std::filesystem::file_size(path), 0U);
    const nlohmann::json json =
        kport("search broadcast --on debruijn:2,4 --source 2 --json --proof " + path).json()["drat"];
    EXPECT_EQ(json, nlohmann::json({{"rounds", 4}, {"formula", path + ".cnf"}, {"steps", path}}));
    const Outcome open = kport("search broadcast --on debruijn:2,10 --for 0.01 --proof " + path);
    EXPECT_EQ(open.status, 4);
    EXPECT_THAT(open.out, HasSubstr("\nproof     none yet: the solver has refuted nothing\n"));
    std::filesystem::remove_all(folder);
}

TEST(SearchCommand, WritesTheProofOfAGossipAsThatOfTheAllreduceWhoseMessagesItBounds) {
    if (without_solver()) GTEST_SKIP() << "built without a solver";
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "proof.drat";
    const Outcome outcome = kport("search allreduce --on ring:5 --proof " + path);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("\nproof     there is no schedule of 3 rounds: "));
    EXPECT_GT(std::filesystem::file_size(path), 0U);
    std::filesystem::remove_all(folder);
}

TEST(SearchCommand, RefusesToWriteASchedulesFileOverAProof) {
    const auto refusal = [](const std::string& files) {
        const Outcome outcome = kport("search broadcast --on ring:5 --least front " + files);
        EXPECT_EQ(outcome.status, 2) << files;
        return outcome.err;
    };
    EXPECT_THAT(refusal("--record /tmp/p.txt --proof /tmp/p-3.txt"), HasSubstr("would both write '/tmp/p-3.txt'"));
    EXPECT_THAT(refusal("--record /tmp/./p --proof /tmp/p-12"), HasSubstr("would both write '/tmp/p-12'"));
}

TEST(SearchCommand, LeavesNoProofOfASearchForHalfThePacketsBehind) {
    if (without_solver()) GTEST_SKIP() << "built without a solver";
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "proof.drat";
    const Outcome outcome = kport("search broadcast --on ring:4 --packets 2 --combining off --proof " + path);
    EXPECT_EQ(outcome.status == 2, !std::filesystem::exists(path)) << outcome.out << outcome.err;
    std::filesystem::remove_all(folder);
}

/// More packets than a bound may look at, and a formula of minutes.
TEST(SearchCommand, EndsOnTimeWhereNoFormulaIsMadeInTime) {
    // Before the formula is begun, and while it is made.
    for (const char* limit : {"0.01s", "1s"}) {
        const Outcome outcome =
            kport("search broadcast --on hypercube:16 --packets 2 --combining off --for " + std::string(limit));
        EXPECT_EQ(outcome.status, 4) << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr("fewer     not known: "));
    }
}

TEST(SearchCommand, RefusesAProofWhereThereIsNothingToProve) {
    if (without_solver()) GTEST_SKIP() << "built without a solver";
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "proof.drat";
    const Outcome by_bound = kport("search broadcast --on ring:5 --proof " + path);
    EXPECT_EQ(by_bound.status, 2);
    EXPECT_EQ(by_bound.err,
              "kport: --proof '" + path +
                  "': broadcast on ring:5 from 0, 1-port takes 3 rounds, and the solver has nothing to prove: "
                  "the lower bound is 3: fan-out; leave --proof out\n");
    EXPECT_THAT(kport("search broadcast --on kary-tree:3,2 --proof " + path).err,
                HasSubstr("there is no schedule of 5 rounds, by the best order along a tree; leave --proof out\n"));
    EXPECT_FALSE(std::filesystem::exists(path));
    std::filesystem::remove_all(folder);
    const Outcome nowhere = kport("search broadcast --on debruijn:2,4 --source 2 --proof /no/such/folder/x");
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("--proof '/no/such/folder/x': there is no folder '/no/such/folder'"));
}

TEST(SearchCommand, RefusesInALine) {
    const auto refusal = [](const std::string& line) {
        const Outcome outcome = kport("search " + line);
        EXPECT_EQ(outcome.status, 2) << line;
        return outcome.err;
    };
    EXPECT_EQ(refusal("scatter --on ring:5 --source 0,1"),
              "kport: --source '0,1': only the rounds of a broadcast are searched for from several nodes; want one\n");
    EXPECT_EQ(refusal("broadcast --on ring:5 --least volume"),
              "kport: --least 'volume' is unknown (rounds, rounds,volume, rounds,work, front, work)\n");
    EXPECT_EQ(refusal("allgather --on ring:5 --source 3"),
              "kport: --source '3': allgather has no source; leave --source out\n");
    EXPECT_EQ(refusal("broadcast --on ring:5 --source 3,3"), "kport: source '3' is named twice; want each once\n");
    EXPECT_THAT(refusal("broadcast --on ring:5 --source 3,"), HasSubstr("ring:5"));
    EXPECT_EQ(refusal("allgather --on ring:5 --mode telephon"),
              "kport: --mode 'telephon' is unknown; did you mean 'telephone'? (kport, telephone, telegraph)\n");
    EXPECT_EQ(refusal("broadcast --on ring:5 --for 0"),
              "kport: --for '0' is zero; want a positive time, such as 60s\n");
    EXPECT_THAT(refusal("broadcast --on ring:5 --engine free"), HasSubstr("kport search takes no '--engine'"));
    EXPECT_EQ(kport("search broadcast --on hypercube:36").status, 3);
}

}  // namespace
}  // namespace kport::test
