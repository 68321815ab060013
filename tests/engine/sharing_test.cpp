/// @file sharing_test.cpp   Repeated runs go on all threads or on one, whichever is faster; the report is the same.
#include "emulator/engine/sharing.hpp"

#include <gtest/gtest.h>

#include "emulator/engine/free_running.hpp"
#include "tests/engine/free_runs.hpp"

namespace kport {
namespace {

/// After so many runs that take these seconds on all threads and on one.
bool ends_on_one_thread(double together, double alone, unsigned runs = 100) {
    Sharing sharing(2);
    for (unsigned i = 0; i < runs; ++i) sharing.took(sharing.on_one_thread() ? alone : together);
    return sharing.on_one_thread();
}

TEST(ARepeatedRun, StaysOnOneThreadWhereThatIsFaster) {
    EXPECT_TRUE(ends_on_one_thread(2e-6, 1e-6));
    EXPECT_FALSE(ends_on_one_thread(1e-6, 2e-6));
    EXPECT_FALSE(ends_on_one_thread(2e-6, 1e-6, Sharing::runs_tried - 1)) << "nothing is known yet";
}

TEST(ARepeatedRun, IsNotTriedOnOneThreadIfItIsLong) {
    Sharing sharing(16);
    for (unsigned i = 0; i < 100; ++i) {
        EXPECT_FALSE(sharing.on_one_thread());
        sharing.took(2 * Sharing::longest_tried);
    }
}

TEST(ARepeatedRun, IsNotJudgedByItsFirstTimeWithColdMemory) {
    Sharing sharing(2);
    sharing.took(1e-9);
    for (unsigned i = 0; i < 100; ++i) sharing.took(sharing.on_one_thread() ? 1e-6 : 2e-6);
    EXPECT_TRUE(sharing.on_one_thread());
}

TEST(ARepeatedRun, HasOneThreadWhereNoMoreWereAskedFor) {
    Sharing sharing(1);
    EXPECT_TRUE(sharing.on_one_thread());
    sharing.took(1);
    EXPECT_TRUE(sharing.on_one_thread());
}

/// More runs than are tried: on all threads, on one, and on whichever was faster.
TEST(ARepeatedRun, GivesOneReportHoweverItIsShared) {
    for (const char* name : {"alltoall", "allreduce", "broadcast"}) {
        const Machine machine = test::machine("hypercube:4");
        const Collective collective = Collective::of(operation_named(name), 0, 8);
        const Algorithm& algorithm = *applicable(machine, collective, {}).front();
        RunOptions in_lockstep = test::options_for(1);
        in_lockstep.engine = EngineKind::lockstep;
        const RunResult right = run_algorithm(algorithm, machine, collective, {}, {}, in_lockstep);
        FreeAlgorithm engine(algorithm, machine, collective, {}, {}, test::options_for(2));
        for (unsigned i = 0; i < 3 * Sharing::runs_tried; ++i) {
            const std::optional<RunResult> result = engine.run();
            ASSERT_TRUE(result) << name;
            EXPECT_EQ(test::text(result->verdict, *machine.topology), test::text(right.verdict, *machine.topology));
            EXPECT_EQ(result->results, right.results);
        }
    }
}

}  // namespace
}  // namespace kport
