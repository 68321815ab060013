#include "app/pictures/story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/audit/audit_schedule.hpp"
#include "tests/pictures/stories.hpp"

namespace kport {
namespace {

using testing::ElementsAre;

TEST(Stories, ShowInWhichRoundEachNodeLearned) {
    EXPECT_THAT(rounds_learned(told({"broadcast", "hypercube:3", "sbt"})), ElementsAre(0, 1, 2, 2, 3, 3, 3, 3));
}

TEST(Stories, ShowOfAGatherInWhichRoundEachNodeSent) {
    EXPECT_THAT(rounds_learned(told({"gather", "hypercube:2"})), ElementsAre(2, 2, 1, 1));
}

TEST(Stories, CountWhatEveryNodeLearnsAsTheAuditorDoes) {
    for (const std::string_view operation : {"broadcast", "scatter", "allgather", "alltoall", "allreduce", "scan"})
        for (const std::string_view topology : {"hypercube:3", "hypercube:4"}) {
            const Story story = told({operation, topology});
            const std::vector<Round> learned = rounds_learned(story);
            EXPECT_EQ(static_cast<std::uint64_t>(
                          std::ranges::count_if(learned, [](Round round) { return round != NodeStates::never; })),
                      story.verdict.holders)
                << operation << " on " << topology;
        }
}

constexpr Switching sf = Switching::store_and_forward;

TEST(Stories, KnowTheResultsOfSegmentsWhereverTheyAreSentOn) {
    for (const RunToTell& run : {RunToTell{"allreduce", "hypercube:2", "halving-doubling", 1, sf, 4},
                                 RunToTell{"allreduce", "complete:4", "circulant", 1, sf, 2},
                                 RunToTell{"allreduce", "complete:4", "bruck", 1, sf, 4},
                                 RunToTell{"allreduce", "complete:6", "two-tree", 1, sf, 3},
                                 RunToTell{"allreduce", "ring:5", "ring", 1, sf, 5},
                                 RunToTell{"allreduce", "hypercube:2", "exchange", 1, sf, 2}}) {
        const Story story = told(run);
        ASSERT_TRUE(story.verdict.lawful()) << run.algorithm;
        NodeStates nodes(story);
        for (const Step& step : steps_of(story)) nodes.take(step);
        for (NodeId v = 0; v < story.topology().nodes(); ++v) {
            EXPECT_EQ(nodes.has(v), Has::all) << run.algorithm << ", node " << v;
            EXPECT_EQ(nodes.held(v).size(), story.topology().nodes() * run.packets_each)
                << "contributions, and no more";
        }
    }
}

TEST(Stories, SpeakOfSeveralPacketsWhereThereAreSeveral) {
    EXPECT_EQ(learning_of(told({"broadcast", "line:3", "", 1, sf, 1})),
              "the round after which each node holds the packet");
    EXPECT_EQ(learning_of(told({"broadcast", "line:3", "", 1, sf, 4})),
              "the round after which each node holds the packets");
    EXPECT_EQ(learning_of(told({"scatter", "line:3", "", 1, sf, 4})),
              "the round after which each node holds its packets");
}

/// As the first line of a report does (docs/report.md).
TEST(Stories, NameTheRulesOfAMachineThatIsNotPlain) {
    const auto title = [](const Machine& machine) {
        Report report;
        report.collective.operation = Operation::broadcast;
        report.algorithm = "sbt";
        report.root = 0;
        report.machine = machine;
        return story_of(report, {}).title;
    };
    Machine machine;
    machine.topology = make_topology("hypercube:3");
    EXPECT_EQ(title(machine), "broadcast from node 0 on hypercube:3 by sbt, 1 port");
    machine.ports = PortLimit(2);
    EXPECT_EQ(title(machine), "broadcast from node 0 on hypercube:3 by sbt, 2 ports");
    machine.links = Duplex::half;
    EXPECT_EQ(title(machine),
              "broadcast from node 0 on hypercube:3 by sbt, 2-port full duplex, store-and-forward, half duplex links");
    machine.duplex = Duplex::half;
    machine.combining = false;
    EXPECT_EQ(title(machine),
              "broadcast from node 0 on hypercube:3 by sbt, 2-port half duplex, store-and-forward, half duplex links, "
              "noncombining");
}

TEST(Stories, DropWhatAScatterHasSentOn) {
    const Story story = told({"scatter", "hypercube:2"});
    NodeStates nodes(story);
    EXPECT_EQ(nodes.held(0).size(), 4);
    for (const Step& step : steps_of(story)) nodes.take(step);
    for (NodeId v = 0; v < 4; ++v) EXPECT_EQ(nodes.held(v).size(), 1) << v;
}

TEST(Stories, PutViolationsToTheMessagesOfWhichTheySpeak) {
    const Story story = told({"broadcast", "ring:6", "flooding", no_port});
    const std::vector<Step> steps = steps_of(story);
    ASSERT_EQ(steps.size(), 3);
    EXPECT_TRUE(steps[0].violations.empty());
    ASSERT_EQ(steps[2].violations.size(), 1);
    std::size_t broken = 0;
    for (std::size_t i = steps[2].begin; i < steps[2].end; ++i) {
        const Transfer transfer = story.schedule.transfer(i);
        if (const auto rule = rule_broken_by(story, steps[2], transfer)) {
            ++broken;
            EXPECT_EQ(*rule, Rule::nodup);
            EXPECT_EQ(transfer.from, 4);
        }
    }
    EXPECT_EQ(broken, 1);
}

TEST(Stories, KeepAStepForARoundInWhichNothingMovedAndARuleWasBroken) {
    Story story = told({"broadcast", "line:3"});
    Schedule late;
    late.add(1, story.schedule.transfer(0));
    late.add(3, story.schedule.transfer(1));
    story.schedule = late;
    story.verdict = audit(late, story.machine, story.collective, true);
    const std::vector<Step> steps = steps_of(story);
    ASSERT_EQ(steps.size(), 3);
    EXPECT_EQ(steps[1].round, 2);
    EXPECT_EQ(steps[1].transfers(), 0);
    EXPECT_EQ(steps[1].violations.size(), 1);
}

}  // namespace
}  // namespace kport
