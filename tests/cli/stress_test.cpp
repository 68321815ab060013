/// @file stress_test.cpp   kport stress, and faults, orders and rounds of kport run, as a user meets them.
#include <csignal>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/execution.hpp"
#include "emulator/fault/fault.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Stress, FindsNoFlawInTheCatalogueAndReportsItsCases) {
    const Outcome outcome = kport("stress --cases 60 --seed 3 --json");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json["covered"]["cases"], 60);
    EXPECT_GT(json["covered"]["runs"], 120);
    EXPECT_GT(json["covered"]["opinions"], 0);
    EXPECT_TRUE(json["flaw"].is_null());
}

TEST(Stress, CountsRowsAndExecutionsThatRanWithBytes) {
    const nlohmann::json covered = kport("stress --cases 60 --seed 3 --json").json()["covered"];
    EXPECT_GT(covered["executions"]["programs"], 0);
    EXPECT_GT(covered["executions"]["mover"], 0);
    EXPECT_EQ(covered["executions"].size(), executions_count);
    const std::size_t rows = kport("list algorithms --json").json()["algorithms"].size();
    EXPECT_EQ(covered["rows"]["all"], rows);
    EXPECT_LT(covered["rows"]["missing"].size(), rows);
    const Outcome text = kport("stress --cases 3 --seed 3 --threads 1");
    EXPECT_THAT(text.out, HasSubstr(fmt::format(" of {} of the catalogue ran with bytes", rows)));
    EXPECT_THAT(text.out, HasSubstr(fmt::format(" of {} ways with bytes: ", executions_count)));
}

TEST(Stress, EndsWithItsVerdict) {
    EXPECT_THAT(kport("stress --cases 1 --threads 1").out, EndsWith("\nverdict   no flaw was found\n"));
    EXPECT_THAT(kport("stress --operation broadcast --algorithm flooding --threads 1").out,
                EndsWith("\nverdict   a flaw was found\n"));
}

TEST(Stress, EndsAfterItsTime) {
    const Outcome outcome = kport("stress --for 200ms --threads 1");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("no flaw was found"));
}

TEST(Stress, ShrinksAFlawAndPrintsACommandThatShowsItAgain) {
    const Outcome found = kport("stress --operation broadcast --algorithm flooding --threads 1 --json");
    EXPECT_EQ(found.status, 1);
    const nlohmann::json flaw = found.json()["flaw"];
    EXPECT_EQ(flaw["what"], "breaks a rule");
    EXPECT_TRUE(flaw["smallest"]);
    const std::string command = flaw["again"];
    ASSERT_THAT(command, StartsWith("kport run broadcast --on "));
    const Outcome again = kport(command.substr(6));
    EXPECT_EQ(again.status, 1) << again.err;
    EXPECT_THAT(again.out, HasSubstr("broken: NODUP"));
    EXPECT_THAT(again.out, HasSubstr("of 3 nodes hold the packet"));  // the smallest cycle
}

TEST(Stress, KnowsTheOperationOfAnAlgorithmThatOnlyOneHas) {
    EXPECT_THAT(kport("stress --algorithm flooding --cases 1 --threads 1").out,
                HasSubstr("\ncases     broadcast flooding 1\n"));
    const Outcome several = kport("stress --algorithm sbt --cases 1");
    EXPECT_EQ(several.status, 2);
    EXPECT_EQ(several.err, "kport: --algorithm 'sbt': of which operation? such as --operation broadcast\n");
}

TEST(Stress, InterruptedReportsTheCasesSoFar) {
    Place place;
    place.signal = SIGINT;
    place.delay = std::chrono::milliseconds(300);
    const Outcome outcome = kport("stress --for 1h", place);
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.out, HasSubstr("stopped, no flaw so far"));
}

TEST(Inject, EveryFaultIsFoundOnAMachineThatHasAPlaceForIt) {
    for (const FaultInfo& fault : faults()) {
        std::string machine = "broadcast --on mesh:3x3";
        if (fault.fault == Fault::send_unheld) machine = "scatter --on mesh:3x3 --switching wh";
        if (fault.fault == Fault::bundle) machine = "scatter --on line:4 --combining off";
        if (fault.fault == Fault::visit_twice) machine = "broadcast --on mesh:3x3 --switching wh";
        if (fault.fault == Fault::exceed_both) machine = "broadcast --on mesh:3x3 --duplex half";
        if (fault.fault == Fault::second_partner) machine = "broadcast --on mesh:3x3 --pairwise";
        if (fault.fault == Fault::link_both_ways) machine = "broadcast --on mesh:3x3 --links half";
        if (fault.fault == Fault::take_apart) machine = "reduce --on line:5";
        if (fault.folds()) machine = "allreduce --on hypercube:3 --op concat";
        const Outcome outcome = kport("run " + machine + " --inject " + std::string(fault.name));
        if (fault.fault == Fault::malformed) {
            EXPECT_EQ(outcome.status, 2);
            EXPECT_THAT(outcome.err, StartsWith("kport: --inject malformed: the schedule is refused: transfers["));
            continue;
        }
        EXPECT_THAT(outcome.out, HasSubstr("injected: " + std::string(fault.name))) << outcome.err;
        if (fault.fault == Fault::lose_wake_up) continue;  // it may have no effect
        EXPECT_EQ(outcome.status, 1) << fault.name << outcome.out;
        EXPECT_THAT(outcome.out, HasSubstr("        found: ")) << fault.name;
    }
}

TEST(Inject, IsRefusedWhereItHasNoPlace) {
    EXPECT_EQ(
        kport("run broadcast --on hypercube:3 --inject bundle").err,
        "kport: --inject bundle: broadcast sbt on hypercube:3 has no place for it; it needs many packets, without "
        "combining\n");
    EXPECT_EQ(kport("run allreduce --on hypercube:3 --packets 2 --inject bundle").err,
              "kport: --inject bundle: allreduce exchange on hypercube:3 has no place for it; it needs many packets, "
              "without combining\n");
    for (const std::string fault : {"duplicate", "echo"}) {
        EXPECT_EQ(kport("run barrier --on complete:7 --inject " + fault).err,
                  "kport: --inject " + fault +
                      ": barrier dissemination on complete:7 has no place for it; it needs packets, not signals\n");
        const Outcome tried = kport("stress --operation barrier --cases 20 --inject " + fault);
        EXPECT_EQ(tried.status, 4) << tried.out << "a rule that is void is not broken, and nothing was tested";
        EXPECT_THAT(tried.out, HasSubstr("nothing was tested: no case has a place for this fault"));
    }
    EXPECT_EQ(kport("run broadcast --on hypercube:3 --inject drp").err,
              "kport: no fault is called 'drp'; did you mean 'drop'? ('kport list faults' shows all)\n");
    EXPECT_EQ(kport("run broadcast --on hypercube:3 --inject drop:2").err,
              "kport: --inject 'drop:2': probability '2' is not above 0 and at most 1, such as 0.01\n");
}

TEST(Inject, SaysWhyARunTakesNoFault) {
    const Outcome stopped = kport("run broadcast --on line:9 --max-rounds 3 --inject drop");
    EXPECT_EQ(stopped.status, 4);
    EXPECT_EQ(stopped.err,
              "kport: --inject drop: stopped before the fault was injected\n"
              "kport: dost on line:9 was stopped at the limit of 3 rounds; --max-rounds N allows more\n");
    EXPECT_THAT(stopped.out, HasSubstr("stopped in round 3 (the limit), no verdict"));
    const Outcome unlawful = kport("run broadcast --on ring:5 --ports all --algorithm flooding --inject drop");
    EXPECT_EQ(unlawful.status, 2);
    EXPECT_EQ(unlawful.err,
              "kport: --inject drop: broadcast flooding on ring:5 breaks rules by itself; a fault needs a "
              "run that keeps them\n");
}

TEST(Inject, ReportsInjectionAndFindingInJson) {
    const nlohmann::json json = kport("run gather --on ring:5 --inject drop --json").json();
    ASSERT_EQ(json["faults"].size(), 1U);
    EXPECT_EQ(json["faults"][0]["fault"], "drop");
    EXPECT_EQ(json["faults"][0]["breaks"], "delivery");
    EXPECT_TRUE(json["faults"][0]["found"]);
}

TEST(Until, EndsARunAfterARoundBeforeAVerdict) {
    const Outcome stopped = kport("run broadcast --on hypercube:4 --until 2");
    EXPECT_EQ(stopped.status, 4);
    EXPECT_THAT(stopped.out, HasSubstr("stopped in round 2, no verdict: 4 of 16 nodes hold the packet so far"));
    EXPECT_EQ(kport("run gather --on hypercube:4 --until 2").status, 4);
    EXPECT_EQ(kport("run broadcast --on hypercube:4 --until 4").status, 0) << "the run is over by itself";
    EXPECT_EQ(kport("run broadcast --on complete:4 --ports all --algorithm flooding --until 2").status, 1)
        << "a rule is broken by then";
    EXPECT_EQ(kport("run broadcast --on hypercube:4 --until 2 --engine free").err,
              "kport: --until needs rounds that all nodes share; leave --engine free out\n");
}

TEST(OrderOption, ChangesNothingInAReport) {
    const auto report = [](const std::string& more) {
        nlohmann::json json = kport("run alltoall --on torus:3x4 --json --threads 1" + more).json();
        for (const char* key : {"engine", "again"}) json.erase(key);
        return json;
    };
    const nlohmann::json plain = report("");
    EXPECT_EQ(report(" --order 1"), plain);
    EXPECT_EQ(report(" --order 2 --engine free"), plain);
    EXPECT_EQ(kport("run broadcast --on ring:5 --order 1 --threads 2").err,
              "kport: --order runs on one thread; leave --threads 2 out\n");
}

TEST(PartitionNodes, ChangesNothingInAReport) {
    const auto report = [](const std::string& more) {
        nlohmann::json json = kport("run alltoall --on torus:3x4 --switching wh --json --threads 1" + more).json();
        json.erase("engine");
        json.erase("again");
        return json;
    };
    EXPECT_EQ(report(" --partition-nodes 1"), report(""));
    EXPECT_EQ(report(" --partition-nodes 2 --order 5"), report(""));
    EXPECT_THAT(kport("run broadcast --on ring:3 --partition-nodes 1").out, HasSubstr(" --partition-nodes 1"));
    EXPECT_EQ(kport("run broadcast --on ring:3 --partition-nodes 1 --engine free").err,
              "kport: --partition-nodes deals the nodes of lockstep; leave --engine free out\n");
    EXPECT_EQ(kport("run broadcast --on ring:3 --partition-nodes 0").status, 2);
}

TEST(Stress, TriesACaseAlone) {
    const nlohmann::json json = kport("stress --seed 3 --case 17 --threads 1 --json").json();
    EXPECT_EQ(json["covered"]["cases"], 1);
    EXPECT_EQ(json, [&] {
        nlohmann::json again = kport("stress --seed 3 --case 17 --threads 1 --json").json();
        again["seconds"] = json["seconds"];
        return again;
    }());
    EXPECT_EQ(kport("stress --case 0").status, 2);
}

TEST(Stress, TriesRandomTraffic) {
    const nlohmann::json json =
        kport("stress --operation gather --algorithm random-traffic --cases 20 --threads 1 --json").json();
    EXPECT_EQ(json["covered"]["algorithms"]["gather random-traffic"], 20);
    EXPECT_TRUE(json["flaw"].is_null()) << json["flaw"];
    EXPECT_EQ(kport("stress --operation gather --algorithm random-traffic --inject drop").status, 2);
}

}  // namespace
}  // namespace kport::test
