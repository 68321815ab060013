/// @file corruption_test.cpp   A bit that changes while the programs run is found by what the engine compares at the end.
#include <cstddef>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

struct Sending {
    Operation operation;
    const char* algorithm;
    std::uint64_t packet_bytes;
};

RunResult run_on(const Machine& machine, const Sending& sending, EngineKind engine, Sabotage& sabotage) {
    Request request;
    request.operation = sending.operation;
    request.packet_bytes = sending.packet_bytes;
    const Algorithm& algorithm = algorithm_named(sending.algorithm, machine, request, {});
    RunOptions options;
    options.engine = engine;
    options.sabotage = &sabotage;
    return run_algorithm(algorithm, machine, request, {}, {}, options);
}

/// What is told of each run in which another message changes on its way.
std::multiset<std::string> told_of_every_change(const Sending& sending, EngineKind engine) {
    const Machine machine = test::machine("hypercube:3");
    Sabotage counting(Fault::corrupt);
    EXPECT_TRUE(run_on(machine, sending, engine, counting).verdict.delivered);
    std::multiset<std::string> told;
    for (std::uint64_t n = 0; n < counting.opportunities(); ++n) {
        Sabotage once(Fault::corrupt, n);
        const RunResult result = run_on(machine, sending, engine, once);
        EXPECT_EQ(result.engine, engine);
        EXPECT_FALSE(result.verdict.delivered);
        EXPECT_EQ(once.injected().size(), 1U);
        told.insert(test::text(result.verdict, *machine.topology));
    }
    return told;
}

class AChangedBit : public testing::TestWithParam<Sending> {};

INSTANTIATE_TEST_SUITE_P(
    Operations, AChangedBit,
    testing::Values(Sending{Operation::broadcast, "sbt", 8}, Sending{Operation::broadcast, "sbt", 100},
                    Sending{Operation::scatter, "sbt", 8}, Sending{Operation::scatter, "sbt", 100},
                    Sending{Operation::allgather, "exchange", 8}, Sending{Operation::alltoall, "exchange", 24}),
    [](const auto& row) {
        return std::string(name(row.param.operation)) + "_" + std::to_string(row.param.packet_bytes);
    });

TEST_P(AChangedBit, IsToldOfByEveryEngineAlike) {
    const std::multiset<std::string> in_lockstep = told_of_every_change(GetParam(), EngineKind::lockstep);
    EXPECT_THAT(in_lockstep, Not(testing::IsEmpty()));
    EXPECT_THAT(in_lockstep, Each(HasSubstr("differs from what was sent")));
    EXPECT_EQ(told_of_every_change(GetParam(), EngineKind::free), in_lockstep);
}

TEST(AChangedBitOfABroadcast, IsToldOfAtTheNodeWhereItChangedAndWhereverItWentFromThere) {
    // Of a bit that changes on its way to node v, v and all nodes below it in the tree are told: over all v that is the sum
    // of the depths of the spanning binomial tree, d 2^(d-1) = 12.
    const std::multiset<std::string> told = told_of_every_change({Operation::broadcast, "sbt", 8}, EngineKind::free);
    EXPECT_EQ(told.size(), 7U);
    const std::string differs = "differs from what was sent";
    std::size_t nodes = 0;
    for (const std::string& text : told)
        for (std::size_t at = text.find(differs); at != std::string::npos; at = text.find(differs, at + 1)) ++nodes;
    EXPECT_EQ(nodes, 12U);
}

TEST(AChangedBitOfABroadcast, IsToldOfOnceAndAlsoAtTheLastNodeOfTheLastPieceOfALargeMachine) {
    // What engines compare in pieces of 2^14 nodes: here the last piece is one node.
    const Machine line = test::machine("line:32769");
    const Sending dost{Operation::broadcast, "dost", 8};
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        Sabotage last_hop(Fault::corrupt, 32767);
        const Verdict verdict = run_on(line, dost, engine, last_hop).verdict;
        EXPECT_EQ(verdict.violation_count, 1U);
        EXPECT_THAT(
            test::sentences(verdict, *line.topology),
            testing::ElementsAre("delivery broken: packet 0 at node 32768 differs from what was sent in byte 0"));
    }
}

}  // namespace
}  // namespace kport
