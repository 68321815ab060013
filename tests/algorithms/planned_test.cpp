/// @file planned_test.cpp   Schedules that are planned once, and followed by every node.
#include <array>

#include <gtest/gtest.h>

#include "algorithms/support/planned.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

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

    Job job;
    {
        Start start = following(Schedule(plan), line, scatter);
        job.machine = line;
        job.collective = scatter;
        job.program = start.program;
        job.starters = start.starters;
        job.starters_wait_until = start.starters_wait_until;
        job.others_receive = start.others_receive;
    }
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        Schedule moved;
        RunOptions options;
        options.engine = engine;
        options.record = &moved;
        const RunResult result = run(job, options);
        EXPECT_TRUE(result.verdict.lawful());
        EXPECT_EQ(result.verdict.metrics.rounds, 3U);
        EXPECT_EQ(moved, plan);
    }
}

}  // namespace
}  // namespace kport
