/// @file not_begun_test.cpp   A reversed algorithm that is stopped: nothing has moved while it is recorded; later it
///                            reports what it moved itself.
#include <atomic>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::on;

RunResult run_on_a_line(Operation operation, const char* algorithm, const RunOptions& options) {
    Machine machine;
    machine.topology = make_topology("line:9");
    const Collective collective{operation, 0, 8};
    return run_algorithm(algorithm_named(algorithm, machine, collective, {}), machine, collective, {}, {}, options);
}

TEST(AReversedAlgorithm, ThatIsStoppedWhileItIsRecordedHasMovedNothing) {
    const std::atomic<bool> stop = true;
    for (const EngineKind engine : both_engines)
        for (const bool by_limit : {false, true})
            for (const Operation& operation : {Operation::gather, Operation::reduce}) {
                RunOptions options = on(engine);
                if (by_limit)
                    options.max_rounds = 3;
                else
                    options.stop = &stop;
                const RunResult result =
                    run_on_a_line(operation, operation == Operation::gather ? "pipeline" : "dost", options);
                EXPECT_TRUE(result.stopped && result.not_begun);
                EXPECT_EQ(result.out_of_rounds, by_limit);
                EXPECT_EQ(result.verdict.metrics, Metrics());
                EXPECT_LE(result.verdict.holders, 1U);
                EXPECT_EQ(result.verdict.violation_count, 0U);
            }
}

/// A reduction in 8 rounds, then a broadcast in 8.
TEST(AReversedAlgorithm, IsStoppedAtTheLimitOfRoundsInWhatFollowsToo) {
    for (const EngineKind engine : both_engines)
        for (const Round most : {8U, 10U, 15U, 16U}) {
            RunOptions options = on(engine);
            options.max_rounds = most;
            const RunResult result = run_on_a_line(Operation::allreduce, "reduce-broadcast", options);
            EXPECT_EQ(result.stopped, most < 16);
            EXPECT_EQ(result.out_of_rounds, most < 16);
            EXPECT_FALSE(result.not_begun);
            EXPECT_EQ(result.verdict.metrics.rounds, most);
            EXPECT_EQ(result.verdict.metrics.transfers, most);
        }
}

}  // namespace
}  // namespace kport
