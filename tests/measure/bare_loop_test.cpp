/// @file bare_loop_test.cpp   The plain loops deliver what the operations collective, so they are fair yardsticks.
#include <string>

#include <gtest/gtest.h>

#include "app/measure/bare_loop.hpp"

namespace kport::measure {
namespace {

struct Loop {
    Operation operation;
    std::string algorithm;
    std::string spec;
    Switching switching = Switching::store_and_forward;
};

Task task_of(const Loop& loop, std::uint64_t bytes) {
    Task task;
    task.experiment.machine.topology = make_topology(loop.spec);
    task.experiment.machine.switching = loop.switching;
    task.experiment.collective = {loop.operation, 0, bytes};
    task.algorithm = &algorithm_named(loop.algorithm, task.experiment.machine, task.experiment.collective, {});
    return task;
}

class EveryBareLoop : public testing::TestWithParam<Loop> {};

TEST_P(EveryBareLoop, DeliversWhatTheOperationPromises) {
    for (const std::uint64_t bytes : {8U, 40U}) {
        const BareLoopPlan plan = bare_loop(task_of(GetParam(), bytes));
        ASSERT_TRUE(plan.make);
        const auto loop = plan.make();
        EXPECT_FALSE(loop->right()) << "nothing has moved";
        for (int i = 0; i < 2; ++i) {
            loop->run();
            EXPECT_TRUE(loop->right()) << bytes;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryBareLoop,
                         testing::Values(Loop{Operation::broadcast, "sbt", "hypercube:5"},
                                         Loop{Operation::broadcast, "dost", "line:7"},
                                         Loop{Operation::scatter, "sbt", "hypercube:5"},
                                         Loop{Operation::allgather, "exchange", "hypercube:4"},
                                         Loop{Operation::allgather, "ring", "ring:7"},
                                         Loop{Operation::alltoall, "pairwise", "hypercube:4", Switching::wormhole},
                                         Loop{Operation::allreduce, "exchange", "hypercube:4"}));

TEST(BareLoops, DoNotExistForEveryAlgorithm) {
    EXPECT_FALSE(bare_loop(task_of({Operation::broadcast, "dost", "mesh:3x3"}, 8)).make);
    Task maximum = task_of({Operation::allreduce, "exchange", "hypercube:3"}, 8);
    maximum.experiment.options.reduction.op = Operator::max;
    EXPECT_FALSE(bare_loop(maximum).make);
    Task inside = task_of({Operation::broadcast, "dost", "line:7"}, 8);
    inside.experiment.collective.root = 3;
    EXPECT_FALSE(bare_loop(inside).make);
}

}  // namespace
}  // namespace kport::measure
