/// @file wake_up_test.cpp   A lost wake-up is reported: nodes that receive nothing, or that wait for ever.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/sabotage.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::job;
using test::job_of_all;
using test::machine;
using test::on;
using test::rightwards;

Program hand_on_to_the_right(Node& self) {
    if (self.id() != 0) co_await self.receive();
    if (self.id() + 1 < self.topology().nodes()) co_await self.send(rightwards, Packet(0));
}

struct Sabotaged {
    Verdict verdict;
    std::vector<Injected> injected;
};

/// A run of an engine that loses its n-th wake-up.
Sabotaged without_wake_up(std::uint64_t n, const Job& job, EngineKind engine) {
    Sabotage sabotage(Fault::lose_wake_up, n);
    RunOptions options = on(engine);
    options.sabotage = &sabotage;
    const RunResult result = kport::run(job, options);
    EXPECT_EQ(result.engine, engine);
    return {result.verdict, sabotage.injected()};
}

class ALostWakeUp : public testing::TestWithParam<EngineKind> {};

TEST_P(ALostWakeUp, OfAWaitingNodeIsAWaitForEver) {
    const Job chain = job_of_all(machine("line:4"), hand_on_to_the_right);
    for (NodeId v = 1; v < 4; ++v) {
        SCOPED_TRACE(v);
        const auto [verdict, injected] = without_wake_up(v - 1, chain, GetParam());
        ASSERT_EQ(injected.size(), 1U);
        EXPECT_EQ(injected.front().fault, Fault::lose_wake_up);
        EXPECT_EQ(injected.front().rule, Rule::delivery);
        EXPECT_FALSE(injected.front().certain) << "further mail could have woken it";
        EXPECT_EQ(injected.front().what, fmt::format("node {} is not told that a message of round {} has come", v, v));
        EXPECT_EQ(verdict.metrics.transfers, v);
        EXPECT_FALSE(verdict.delivered);
        EXPECT_THAT(test::sentences(verdict, *chain.machine.topology),
                    testing::Contains(testing::HasSubstr(fmt::format("node {} waits for ever", v))).Times(1));
    }
    EXPECT_TRUE(without_wake_up(3, chain, GetParam()).verdict.delivered) << "there are three";
}

TEST_P(ALostWakeUp, OfANodeThatMailStartsLeavesTheNodesBelowItWithoutThePacket) {
    const Job chain = job(machine("line:4"), hand_on_to_the_right, {0});
    for (NodeId v = 1; v < 3; ++v) {
        const auto [verdict, injected] = without_wake_up(v - 1, chain, GetParam());
        ASSERT_EQ(injected.size(), 1U);
        EXPECT_EQ(verdict.metrics.transfers, v);
        EXPECT_FALSE(verdict.delivered) << "what node " << v << " had to pass on";
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, ALostWakeUp, testing::Values(EngineKind::lockstep, EngineKind::free),
                         [](const auto& which) { return std::string(name(which.param)); });

}  // namespace
}  // namespace kport
