/// @file planned_test.cpp   Schedules that are planned once, and followed by every node.
#include <array>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/support/planned.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

/// Its plan is the job's own, and outlives the one given.
Job of_plan(Schedule plan, const Machine& machine, const Collective& collective) {
    Start start = following(std::move(plan), machine, collective);
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.program = start.program;
    job.starters = start.starters;
    job.starters_wait_until = start.starters_wait_until;
    job.others_receive = start.others_receive;
    return job;
}

// The middle of a line of three serves its right neighbour first, and waits a round before it serves the left one.
TEST(Following, MakesTheTransfersOfThePlanInTheirRounds) {
    const Machine line = test::machine("line:3");
    const Collective scatter = Collective::scatter(1, 8);
    constexpr std::array<Port, 1> right{1};
    constexpr std::array<Port, 1> left{0};
    const PacketSet for_first = PacketSet::range(0, 1);
    const PacketSet for_last = PacketSet::range(2, 3);
    Schedule plan;
    plan.add(1, {1, 2, right, for_last.blocks()});
    plan.add_silent(2, 1);
    plan.add(3, {1, 0, left, for_first.blocks()});

    const Job job = of_plan(plan, line, scatter);
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        Schedule moved;
        RunOptions options;
        options.engine = engine;
        options.recorded_schedule = &moved;
        const RunResult result = run(job, options);
        EXPECT_TRUE(result.verdict.lawful());
        EXPECT_EQ(result.verdict.metrics.rounds, 3U);
        EXPECT_EQ(moved, plan);
    }
}

/// Otherwise every node would keep all that passes through it. Node 1 of line:3 sends packet 0 on, and cannot send it
/// again.
TEST(Following, PassesOnWhatIsForOneNode) {
    const Machine line = test::machine("line:3");
    const Collective scatter = Collective::scatter(2, 8);
    constexpr std::array<Port, 1> left{0};
    const PacketSet for_first = PacketSet::range(0, 1);
    const PacketSet for_both = PacketSet::range(0, 2);
    Schedule plan;
    plan.add(1, {2, 1, left, for_both.blocks()});
    plan.add(2, {1, 0, left, for_first.blocks()});
    plan.add(3, {1, 0, left, for_first.blocks()});
    const Job job = of_plan(plan, line, scatter);
    EXPECT_THAT(test::sentences(run(job, {}).verdict, *line.topology),
                testing::Contains(testing::HasSubstr("which it passed on in round 2")));
}

}  // namespace
}  // namespace kport
