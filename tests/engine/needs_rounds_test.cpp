/// @file needs_rounds_test.cpp   One program, one verdict: where an engine without rounds cannot give it, lockstep does.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/free_runs.hpp"

namespace kport {
namespace {

using test::half_duplex;
using test::leftwards;
using test::machine;
using test::options_for;
using test::rightwards;
using test::told;
using test::wormhole;

Program everybody_to_0(Node& self) {
    if (self.id() != 0) {
        co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
        co_return;
    }
    for (NodeId sender = 1; sender < self.topology().nodes(); ++sender) co_await self.receive_from(sender);
}

/// Paths that share the channel into the last node.
Program two_paths(Node& self) {
    const NodeId last = self.topology().nodes() - 1;
    if (self.id() < 2) co_await self.send_to(last, PacketSet::range(self.id(), self.id() + 1));
    if (self.id() != last) co_return;
    co_await self.receive_from(0);
    co_await self.receive_from(1);
}

/// Each node sends to the right and takes what comes from the left: a half duplex port does one of both at a time.
Program around(Node& self) {
    co_await self.send(rightwards, PacketSet::range(self.id(), self.id() + 1));
    co_await self.receive(leftwards);
}

/// Node 1 declares two sends for one round, whatever others send.
Program declares_too_much(Node& self) {
    const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
    const std::array sends{SendRequest(leftwards, own), SendRequest(rightwards, own)};
    if (self.id() == 1) co_await self.send_together(sends);
    if (self.id() == 0) co_await self.receive_from(1);
    if (self.id() == 2) co_await self.receive_from(1);
}

struct NamedJob {
    std::string name;
    Machine machine;
    Program (*program)(Node&);
    NeedsRounds why;
};

class AProgram : public testing::TestWithParam<NamedJob> {};

TEST_P(AProgram, HasOneVerdictOnEitherEngine) {
    const NamedJob& row = GetParam();
    for (const Policy policy : {Policy::queue, Policy::strict}) {
        Job job = test::job_of_all(row.machine, row.program);
        job.machine.policy = policy;
        job.collective = {Operation::gather, 0, 8};
        Schedule moved;
        RunOptions lockstep;
        lockstep.per_round = true;
        lockstep.recorded_schedule = &moved;
        const Verdict verdict = run_lockstep(job, lockstep).verdict;
        for (const unsigned threads : {1U, 2U}) {
            Schedule moved_free;
            const RunResult result = run(job, options_for(threads, &moved_free));
            EXPECT_EQ(told(result.verdict, job), told(verdict, job)) << threads << " threads, " << text(policy);
            EXPECT_EQ(result.needs_rounds, row.why);
            EXPECT_EQ(result.engine, row.why == NeedsRounds::no ? EngineKind::free : EngineKind::lockstep);
            EXPECT_EQ(test::moves(moved_free), test::moves(moved));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    NeedsRounds, AProgram,
    testing::Values(
        NamedJob{"Receives", machine("complete:4"), everybody_to_0, NeedsRounds::claims},
        NamedJob{"ReceivesOnTwoPorts", machine("complete:4", PortLimit(2)), everybody_to_0, NeedsRounds::claims},
        NamedJob{"ReceivesOnAllPorts", machine("complete:4", PortLimit::all()), everybody_to_0, NeedsRounds::no},
        NamedJob{"Paths", wormhole(machine("line:4", PortLimit::all())), two_paths, NeedsRounds::claims},
        NamedJob{"HalfDuplexPorts", half_duplex(machine("ring:5")), around, NeedsRounds::claims},
        NamedJob{"FullDuplexPorts", machine("ring:5"), around, NeedsRounds::no},
        NamedJob{"DeclaredSends", machine("line:3"), declares_too_much, NeedsRounds::no}),
    [](const auto& test) { return test.param.name; });

TEST(AGivenUpRun, SaysWhyAndLeavesNoRecord) {
    Job job = test::job_of_all(machine("complete:4"), everybody_to_0);
    job.collective = {Operation::gather, 0, 8};
    Schedule moved;
    FreeRunning engine(job, options_for(2, &moved));
    for (int times = 0; times < 2; ++times) {
        EXPECT_FALSE(engine.run());
        EXPECT_EQ(engine.needs_rounds(), NeedsRounds::claims);
        EXPECT_TRUE(moved.empty());
    }
    EXPECT_EQ(text(NeedsRounds::claims), "claims compete, and only lockstep arbitrates them");
}

/// A node that got its message late, for it had to wait, has no exception to throw.
TEST(AGivenUpRun, ThrowsNoErrorThatOnlyARunWithoutWaitingHas) {
    Job job = test::job_of_all(machine("complete:4"), [](Node& self) -> Program {
        if (self.id() == 1 || self.id() == 2) co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
        if (self.id() != 0) co_return;
        co_await self.receive_from(2);
        if (self.round() == 2) throw std::runtime_error("too early");
    });
    job.collective = {Operation::gather, 0, 8};
    EXPECT_NO_THROW((void)run_lockstep(job, {}));
    EXPECT_NO_THROW((void)run(job, options_for(1)));
}

TEST(ANodeThatWaitsForEver, IsToldWithTheLastRoundOnEitherEngine) {
    // Node 3 waits from round 1 on, node 2 from round 3; the last message moves in round 2.
    const Job job = test::job(machine("line:4"),
                              [](Node& self) -> Program {
                                  if (self.id() == 0) co_await self.send(rightwards, Packet(0));
                                  if (self.id() == 1) {
                                      co_await self.receive(leftwards);
                                      co_await self.send(rightwards, Packet(0));
                                  }
                                  if (self.id() == 2) {
                                      co_await self.receive(leftwards);
                                      co_await self.next_round();
                                      co_await self.receive(rightwards);
                                  }
                                  if (self.id() == 3) co_await self.receive(leftwards);
                              },
                              {0, 3});
    RunOptions lockstep;
    lockstep.per_round = true;
    const Verdict verdict = run_lockstep(job, lockstep).verdict;
    EXPECT_EQ(told(run(job, options_for(1)).verdict, job), told(verdict, job));
    for (const Violation& violation : verdict.violations) EXPECT_EQ(violation.round, 2U);
}

TEST(ANodeThatLetsManyRoundsPass, HasOneVerdictOnEitherEngine) {
    constexpr int many = 1'000'010;
    const Job job = test::job_of_all(machine("line:3"), [](Node& self) -> Program {
        if (self.id() == 0)
            for (int i = 0; i < many; ++i) co_await self.next_round();
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
        if (self.id() == 1) co_await self.receive(leftwards);
        if (self.id() == 1) co_await self.send(rightwards, Packet(0));
        if (self.id() != 2) co_return;
        for (int i = 0; i < many / 2; ++i) co_await self.next_round();
        co_await self.send(leftwards, Packet(0));  // it holds none, but the rounds before it do not count
    });
    Job counted = job;
    counted.payload = false;
    RunOptions lockstep;
    lockstep.per_round = true;
    const RunResult result = run(counted, options_for(1));
    EXPECT_EQ(result.engine, EngineKind::free);
    EXPECT_EQ(told(result.verdict, counted), told(run_lockstep(counted, lockstep).verdict, counted));
}

TEST(ALastRound, IsAlwaysRunInLockstep) {
    Job job = test::job_of_all(machine("ring:5"), around);
    job.collective = {Operation::allgather, 0, 8};
    RunOptions options = options_for(1);
    options.last_round = 1;
    EXPECT_EQ(run(job, options).engine, EngineKind::lockstep);
}

}  // namespace
}  // namespace kport
