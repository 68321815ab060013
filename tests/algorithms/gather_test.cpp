/// @file gather_test.cpp   A gather whose messages compete for the root's ports: which nodes wait, what the engines do,
///                         and where it does not run. Costs and rules: scatter_test.cpp.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using testing::HasSubstr;

Collective gather_to(NodeId root) {
    Collective collective;
    collective.operation = Operation::gather;
    collective.root = root;
    collective.packet_bytes = 24;
    return collective;
}

const Algorithm& direct_all(const Machine& machine, NodeId root = 0) {
    return algorithm_named("direct-all", machine, gather_to(root), {});
}

std::string moves_of(const Machine& machine, NodeId root, EngineKind engine = EngineKind::lockstep) {
    Schedule schedule;
    RunOptions options;
    options.engine = engine;
    options.recorded_schedule = &schedule;
    const RunResult result = run_algorithm(direct_all(machine, root), machine, gather_to(root), {}, {}, options);
    EXPECT_TRUE(result.verdict.lawful());
    EXPECT_EQ(result.verdict.holders, machine.topology->nodes());
    return test::text(schedule);
}

TEST(DirectAll, ServesAsManyOfTheLowestSendersARoundAsTheRootHasPorts) {
    EXPECT_EQ(moves_of(machine("complete:5"), 2), "1: 0>2 | 2: 1>2 | 3: 3>2 | 4: 4>2");
    EXPECT_EQ(moves_of(machine("complete:6", PortLimit(2)), 0), "1: 1>0 2>0 | 2: 3>0 4>0 | 3: 5>0");
    EXPECT_EQ(moves_of(machine("complete:4", PortLimit::all()), 3), "1: 0>3 1>3 2>3");
    EXPECT_EQ(moves_of(test::half_duplex(machine("complete:4")), 3), "1: 0>3 | 2: 1>3 | 3: 2>3");
    EXPECT_EQ(moves_of(test::wormhole(machine("line:4")), 1), "1: 0>1 | 2: 2>1 | 3: 3>1");
    EXPECT_EQ(moves_of(machine("complete:1"), 0), "");
}

TEST(DirectAll, RunsInLockstepWhereMessagesWaitAndSaysWhy) {
    RunOptions options;
    options.engine = EngineKind::free;
    const auto run_on = [&](const Machine& m) {
        return run_algorithm(direct_all(m), m, gather_to(0), {}, {}, options);
    };
    const RunResult competing = run_on(machine("complete:5"));
    EXPECT_EQ(competing.engine, EngineKind::lockstep);
    EXPECT_EQ(competing.needs_rounds, NeedsRounds::claims);
    const RunResult alone = run_on(machine("complete:5", PortLimit::all()));
    EXPECT_EQ(alone.engine, EngineKind::free);
    EXPECT_EQ(alone.needs_rounds, NeedsRounds::no);
    EXPECT_EQ(moves_of(machine("complete:5"), 2, EngineKind::free), moves_of(machine("complete:5"), 2));
}

TEST(DirectAll, CostsWhatTheGatherDoesThatTakesTurns) {
    for (const Machine& m : {machine("complete:9"), machine("complete:9", PortLimit(3)),
                             test::wormhole(machine("mesh:3x4")), test::without_combining(machine("complete:7"))}) {
        const auto cost_of = [&](std::string_view name) {
            const Algorithm& algorithm = algorithm_named(name, m, gather_to(5), {});
            const Metrics metrics = run_algorithm(algorithm, m, gather_to(5), {}, {}, {}).verdict.metrics;
            return std::tuple(metrics.rounds, metrics.work, metrics.path_sum, metrics.volume, metrics.latency);
        };
        EXPECT_EQ(cost_of("direct-all"), cost_of("direct"));
    }
}

TEST(DirectAll, RunsOnlyWhereMessagesMayWait) {
    const auto refusal = [](const Machine& m) -> std::string {
        try {
            (void)direct_all(m);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal(test::strict(machine("complete:4"))),
                HasSubstr("'direct-all' has messages that wait for each other, which policy strict forbids"));
    EXPECT_THAT(refusal(machine("ring:4")), HasSubstr("needs wormhole switching or a complete graph"));
    EXPECT_THAT(refusal(test::wormhole(machine("ring:4", PortLimit(2)))), HasSubstr("needs a 1-port machine"));
    EXPECT_EQ(refusal(machine("complete:4097")), "accepted");
}

TEST(DirectAll, RunsOnThousandsOfNodesThatAllWaitForOne) {
    // A round costs what moves: not a look at all that wait, of which there are N^2 / 2.
    const Machine many = machine("complete:30000");
    const Verdict verdict = run_algorithm(direct_all(many), many, gather_to(7), {}, {}, {}).verdict;
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 29999U);
    EXPECT_EQ(verdict.metrics.transfers, 29999U);
}

TEST(DirectAll, BreaksTheStrictPolicyThere) {
    Machine strict = test::strict(machine("complete:4"));
    const Verdict verdict = run_algorithm(direct_all(machine("complete:4")), strict, gather_to(0), {}, {}, {}).verdict;
    EXPECT_FALSE(verdict.kept(Rule::strict));
    EXPECT_EQ(verdict.violation_count, 2U) << "the messages of nodes 2 and 3 have to wait";
}

TEST(DirectAll, IsNeverChosenByItself) {
    for (const Machine& m : {machine("complete:6"), test::without_combining(machine("complete:6", PortLimit(2))),
                             test::wormhole(test::without_combining(machine("cbt:3")))})
        EXPECT_NE(best_algorithm(m, gather_to(0), {}).name, "direct-all");
}

}  // namespace
}  // namespace kport
