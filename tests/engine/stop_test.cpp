/// @file stop_test.cpp   How a run ends before its programs: on request, after a round, after silent rounds.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::on;
using test::rightwards;

Program for_ever_to_and_fro(Node& self) {
    const Port other = self.id() == 0 ? rightwards : leftwards;
    if (self.id() == 0) co_await self.send(other, Packet(0));
    for (;;) {
        co_await self.receive();
        co_await self.send(other, Packet(0));
    }
}

TEST(Stop, EndsTheRunAfterTheCurrentRound) {
    const std::atomic<bool> stop = true;
    RunOptions options;
    options.stop = &stop;
    const RunResult result = run_lockstep(job(machine("line:2"), for_ever_to_and_fro, {0}), options);
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.verdict.metrics.rounds, 1U);
}

TEST(Stop, InterruptsALargeRound) {
    // Nodes of such a round may take seconds. Nothing of it is counted.
    const std::atomic<bool> stop = true;
    RunOptions options;
    options.stop = &stop;
    const auto rounds_of = [&](const std::string& spec) {
        const RunResult result = run_lockstep(job_of_all(machine(spec), for_ever_to_and_fro), options);
        EXPECT_TRUE(result.stopped);
        return result.verdict.metrics.rounds;
    };
    EXPECT_EQ(rounds_of("ring:16"), 1U);
    EXPECT_EQ(rounds_of("ring:16384"), 0U);
}

TEST(Stop, DiscardsAnInterruptedRound) {
    // Some nodes have sent before others see that the run is to stop.
    std::atomic<bool> stop = false;
    RunOptions options;
    options.stop = &stop;
    const auto all_send = [&](Node& self) -> Program {
        if (self.id() == 0) stop = true;
        co_await self.send(rightwards, Packet(0));
    };
    const RunResult result = run_lockstep(job_of_all(machine("ring:16384"), all_send), options);
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.verdict.metrics.transfers, 0U);
    EXPECT_EQ(result.verdict.violation_count, 0U);
}

TEST(Stop, IsNotReportedForARunWithoutStarters) {
    const RunResult result = run_lockstep(job(machine("line:2"), for_ever_to_and_fro, {}), {});
    EXPECT_FALSE(result.stopped);
    EXPECT_EQ(result.verdict.metrics.rounds, 0U);
}

TEST(Stop, IsSeenInRoundsInWhichNothingMoves) {
    const std::atomic<bool> stop = true;
    RunOptions options;
    options.stop = &stop;
    Round rounds = 0;
    const auto program = [&](Node& self) -> Program {
        for (;;) {
            ++rounds;
            co_await self.next_round();
        }
    };
    EXPECT_TRUE(run_lockstep(job(machine("line:1"), program, {0}), options).stopped);
    EXPECT_LT(rounds, 10U);
}

Program pass_on_to_the_right(Node& self) {
    if (self.id() != 0) co_await self.receive();
    if (self.id() + 1 < self.topology().nodes()) co_await self.send(rightwards, Packet(0));
}

TEST(Stop, HasNoEffectUntilRequested) {
    const std::atomic<bool> stop = false;
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        options.stop = &stop;
        const RunResult result = kport::run(job(machine("line:5"), pass_on_to_the_right, {0}), options);
        EXPECT_FALSE(result.stopped);
        EXPECT_TRUE(result.verdict.delivered);
    }
}

TEST(Stop, ReportsNoMissingDelivery) {
    const std::atomic<bool> stop = true;
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        options.stop = &stop;
        for (const Job& chain :
             {job(machine("line:5"), pass_on_to_the_right, {0}), job_of_all(machine("line:5"), pass_on_to_the_right)}) {
            const RunResult result = kport::run(chain, options);
            EXPECT_TRUE(result.stopped);
            EXPECT_EQ(result.verdict.violation_count, 0U);
        }
    }
}

TEST(Stop, LeavesNoResultsToShow) {
    const std::atomic<bool> stop = true;
    Job scan = job_of_all(machine("line:3"), [](Node& self) -> Program {
        self.result(self.contribution());
        co_await self.send(self.id() == 0 ? rightwards : leftwards, self.contribution());
    });
    scan.collective = {Operation::scan, 0, 8};
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        EXPECT_FALSE(kport::run(scan, options).results.empty());
        options.stop = &stop;
        const RunResult stopped = kport::run(scan, options);
        EXPECT_TRUE(stopped.stopped && stopped.results.empty());
    }
}

TEST(Stop, DoesNotHideAnError) {
    std::atomic<bool> stop = false;
    const auto program = [&](Node&) -> Program {
        stop = true;
        throw std::runtime_error("out");
        co_return;
    };
    for (const EngineKind engine : both_engines) {
        stop = false;
        RunOptions options = on(engine);
        options.stop = &stop;
        EXPECT_THROW((void)kport::run(job(machine("line:2"), program, {0}), options), ProgramError);
    }
}

TEST(LastRound, EndsTheRunAsStoppedIfMessagesRemain) {
    for (Round last = 1; last <= 6; ++last) {
        RunOptions options;
        options.last_round = last;
        const RunResult result = run_lockstep(job(machine("line:5"), pass_on_to_the_right, {0}), options);
        EXPECT_EQ(result.stopped, last < 4) << last;
        EXPECT_EQ(result.verdict.metrics.rounds, std::min<Round>(last, 4)) << last;
        EXPECT_EQ(result.verdict.delivered, last >= 4) << last;
        EXPECT_EQ(result.verdict.violations.size(), 0U) << last;
    }
}

TEST(AStoppedRun, IsNotLawfulThoughItBreaksNoRule) {
    const std::atomic<bool> stop = true;
    for (const EngineKind engine : both_engines)
        for (const int way : {0, 1, 2}) {
            RunOptions options = on(engine);
            if (way == 0) options.stop = &stop;
            if (way == 1) options.last_round = 2;
            if (way == 2) options.max_rounds = 2;
            const RunResult result = kport::run(job(machine("line:5"), pass_on_to_the_right, {0}), options);
            EXPECT_TRUE(result.stopped);
            EXPECT_EQ(result.verdict.violation_count, 0U);
            EXPECT_FALSE(result.verdict.lawful());
        }
    EXPECT_TRUE(kport::run(job(machine("line:5"), pass_on_to_the_right, {0}), {}).verdict.lawful());
}

TEST(AStoppedRun, ComparesNoBytes) {
    // Neither those of one packet nor those of many.
    Job scatter = job(machine("line:3"),
                      [](Node& self) -> Program {
                          if (self.id() != 0) co_await self.receive();
                          const PacketSet rest = PacketSet::range(self.id() + 1, 3);
                          if (!rest.empty()) co_await self.pass(rightwards, rest);
                      },
                      {0});
    scatter.collective = {Operation::scatter, 0, 8};
    for (const Job& chain : {job(machine("line:5"), pass_on_to_the_right, {0}), scatter}) {
        RunOptions options;
        options.last_round = 1;
        const RunResult result = run_lockstep(chain, options);
        EXPECT_TRUE(result.stopped);
        EXPECT_EQ(result.verdict.compared_packets, 0U);
        EXPECT_EQ(result.verdict.compared_bytes, 0U);
        EXPECT_GT(run_lockstep(chain, {}).verdict.compared_packets, 0U);
    }
}

TEST(LastRound, CountsWaitingMessagesAsRemaining) {
    const auto both_ends_send = [](Node& self) -> Program {
        if (self.id() != 1) co_await self.send_to(1, Packet(0));
    };
    for (const Round last : {1U, 2U, 3U}) {
        RunOptions options;
        options.last_round = last;
        const RunResult result = run_lockstep(job_of_all(machine("line:3"), both_ends_send), options);
        EXPECT_EQ(result.stopped, last == 1) << "in round 2 nobody sends, and one message still waits; " << last;
        EXPECT_EQ(result.verdict.metrics.rounds, std::min<Round>(last, 2)) << last;
    }
}

/// Sends without ever waiting.
Program for_ever_to_the_right(Node& self) {
    for (;;) co_await self.send(rightwards, Packet(0));
}

TEST(MaxRounds, EndAProgramThatSendsForEverOnAnyEngineAndNumberOfThreads) {
    for (const EngineKind engine : both_engines)
        for (const unsigned threads : {1U, 2U}) {
            RunOptions options = on(engine);
            options.threads = threads;
            options.max_rounds = 100;
            const RunResult to_and_fro = kport::run(job(machine("line:2"), for_ever_to_and_fro, {0}), options);
            EXPECT_TRUE(to_and_fro.stopped && to_and_fro.out_of_rounds);
            EXPECT_EQ(to_and_fro.verdict.metrics.transfers, 100U);
            Job deaf = job_of_all(machine("ring:5"), for_ever_to_the_right);
            deaf.payload = false;
            const RunResult all = kport::run(deaf, options);
            EXPECT_TRUE(all.stopped && all.out_of_rounds);
            EXPECT_EQ(all.engine, engine);
            EXPECT_EQ(all.verdict.metrics.rounds, 100U);
            EXPECT_EQ(all.verdict.metrics.transfers, 500U);
        }
}

TEST(MaxRounds, AreNotStruckByARunThatNeedsNoMore) {
    for (const EngineKind engine : both_engines)
        for (const Round most : {3U, 4U}) {
            RunOptions options = on(engine);
            options.max_rounds = most;
            const RunResult result = kport::run(job(machine("line:5"), pass_on_to_the_right, {0}), options);
            EXPECT_EQ(result.out_of_rounds, most == 3);
            EXPECT_EQ(result.stopped, most == 3);
            EXPECT_EQ(result.verdict.delivered, most == 4);
            EXPECT_EQ(result.verdict.violation_count, 0U);
        }
}

TEST(MaxRounds, HoldWhereNobodyAsksForThem) {
    if (test::under_thread_sanitizer || test::under_address_sanitizer) GTEST_SKIP() << "four million rounds";
    Job endless = job(machine("line:2"), for_ever_to_and_fro, {0});
    endless.payload = false;
    const RunResult result = run_lockstep(endless, {});
    EXPECT_TRUE(result.stopped && result.out_of_rounds);
    EXPECT_EQ(result.verdict.metrics.rounds, default_max_rounds(2));
}

TEST(MaxRounds, AreMoreOnLargeMachines) {
    EXPECT_EQ(default_max_rounds(1), 4'000'000U);
    EXPECT_EQ(default_max_rounds(1'000'000), 64'000'000U);
    EXPECT_EQ(default_max_rounds(~NodeId{0}), ~Round{0} / 64 * 64) << "round numbers have 32 bits";
}

/// Down a line of three, after so many silent rounds before node 0 sends, and before node 1 passes on.
Job after_silence(std::uint64_t of_node_0, std::uint64_t of_node_1) {
    const auto program = [=](Node& self) -> Program {
        if (self.id() != 0) co_await self.receive();
        const std::uint64_t silent = self.id() == 0 ? of_node_0 : self.id() == 1 ? of_node_1 : 0;
        for (std::uint64_t i = 0; i < silent; ++i) co_await self.next_round();
        if (self.id() < 2) co_await self.send(rightwards, Packet(0));
    };
    return job(machine("line:3"), program, {0});
}

RunResult run_with(EngineKind engine, Round max_rounds, const Job& job) {
    RunOptions options = on(engine);
    options.max_rounds = max_rounds;
    RunResult result = kport::run(job, options);
    EXPECT_EQ(result.engine, engine);
    return result;
}

TEST(MaxRounds, AloneLimitTheRoundsThatAProgramLetsPass) {
    if (test::under_thread_sanitizer || test::under_address_sanitizer) GTEST_SKIP() << "sixteen million rounds";
    for (const EngineKind engine : both_engines) {
        const RunResult late = run_with(engine, 0, after_silence(2'000'000, 0));
        EXPECT_TRUE(late.verdict.lawful() && late.verdict.delivered);
        EXPECT_EQ(late.verdict.metrics.rounds, 2'000'002U);
        EXPECT_EQ(late.verdict.metrics.silent_rounds, 2'000'000U);
        const RunResult twice = run_with(engine, 3'000'002, after_silence(1'500'000, 1'500'000));
        EXPECT_TRUE(twice.verdict.lawful() && twice.verdict.delivered);
        const RunResult beyond = run_with(engine, 3'000'001, after_silence(1'500'000, 1'500'000));
        EXPECT_TRUE(beyond.stopped && beyond.out_of_rounds);
        EXPECT_EQ(beyond.verdict.metrics.transfers, 1U);
        EXPECT_EQ(beyond.verdict.violation_count, 0U);
    }
}

TEST(MaxRounds, EndAProgramThatWaitsForEverInNextRound) {
    const auto waits = [](Node& self) -> Program {
        for (;;) co_await self.next_round();
    };
    for (const EngineKind engine : both_engines)
        for (const Round most : {10U, 1'200'000U, 0U}) {
            if (most != 10 && (test::under_thread_sanitizer || test::under_address_sanitizer)) continue;
            const RunResult result = run_with(engine, most, job(machine("line:2"), waits, {0}));
            EXPECT_TRUE(result.stopped && result.out_of_rounds);
            EXPECT_EQ(result.verdict.metrics.rounds, 0U);
            EXPECT_EQ(result.verdict.violation_count, 0U) << "it was stopped: nobody knows whether it waits for ever";
        }
}

TEST(MaxRounds, LoseNoMessageOfANodeThatTakesLaterOnesFirst) {
    // What node 0 sends in round 3 may be there before what node 2 sends in round 1.
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.until(3);
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
        if (self.id() == 2) co_await self.send(leftwards, Packet(0));
        if (self.id() != 1) co_return;
        co_await self.receive();
        for (int i = 0; i < 2; ++i) co_await self.send(leftwards, Packet(0));
        co_await self.receive();
    };
    Job job = job_of_all(machine("line:3"), program);
    job.payload = false;
    RunOptions options = on(EngineKind::lockstep);
    options.max_rounds = 3;
    const RunResult lockstep = kport::run(job, options);
    EXPECT_EQ(lockstep.verdict.metrics.transfers, 4U);
    options = on(EngineKind::free);
    options.max_rounds = 3;
    for (const unsigned threads : {1U, 2U}) {
        options.threads = threads;
        const RunResult free_run = kport::run(job, options);
        EXPECT_EQ(free_run.out_of_rounds, lockstep.out_of_rounds);
        EXPECT_EQ(free_run.verdict, lockstep.verdict) << threads;
    }
}

TEST(MaxRounds, AreStruckByTheSameRunsOnEitherEngine) {
    for (std::uint64_t silent = 0; silent < 12; ++silent) {
        const auto waits_at_the_end = [=](Node& self) -> Program {
            if (self.id() == 0)
                co_await self.send(rightwards, Packet(0));
            else
                co_await self.receive();
            for (std::uint64_t i = 0; i < silent; ++i) co_await self.next_round();
        };
        for (const Job& job : {after_silence(silent, 0), after_silence(0, silent), after_silence(silent, silent),
                               job_of_all(machine("line:2"), waits_at_the_end)}) {
            const RunResult lockstep = run_with(EngineKind::lockstep, 8, job);
            const RunResult free_run = run_with(EngineKind::free, 8, job);
            EXPECT_EQ(free_run.out_of_rounds, lockstep.out_of_rounds) << silent;
            EXPECT_EQ(free_run.verdict, lockstep.verdict) << silent;
        }
    }
}

TEST(Progress, ReportsTheMessagesSoFar) {
    std::uint64_t last_transfers = 0;
    std::uint64_t last_reached = 0;
    std::atomic<bool> stop = false;
    RunOptions options;
    options.stop = &stop;
    options.progress = [&](const Metrics& metrics, std::uint64_t reached) {
        EXPECT_GT(metrics.transfers, last_transfers);
        last_transfers = metrics.transfers;
        last_reached = reached;
        stop = true;
    };
    EXPECT_TRUE(run_lockstep(job(machine("line:2"), for_ever_to_and_fro, {0}), options).stopped);
    EXPECT_GT(last_transfers, 0U);
    EXPECT_EQ(last_reached, 1U);
}

TEST(Progress, IsReportedByAFreeRunToo) {
    std::atomic<bool> stop = false;
    Metrics told;
    std::uint64_t told_reached = 0;
    RunOptions options = on(EngineKind::free);
    options.stop = &stop;
    options.progress = [&](const Metrics& metrics, std::uint64_t reached) {
        told = metrics;
        told_reached = reached;
        stop = true;
    };
    const Job to_and_fro = job(machine("line:2"), for_ever_to_and_fro, {0});
    for (const unsigned threads : {1U, 2U}) {
        stop = false;
        options.threads = threads;
        EXPECT_TRUE(kport::run(to_and_fro, options).stopped);
        EXPECT_GT(told.transfers, 1U);
        EXPECT_NEAR(static_cast<double>(told.rounds), static_cast<double>(told.transfers), 1) << "one message a round";
        EXPECT_EQ(told_reached, 2U);
    }
}

TEST(Progress, ThatThrowsEndsTheRunWithWhatItHasThrown) {
    for (const EngineKind engine : test::both_engines)
        for (const unsigned threads : {1U, 2U}) {
            RunOptions options = on(engine);
            options.threads = threads;
            options.progress = [](const Metrics&, std::uint64_t) { throw std::domain_error("the caller's"); };
            EXPECT_THROW((void)kport::run(job(machine("line:2"), for_ever_to_and_fro, {0}), options),
                         std::domain_error);
        }
}

}  // namespace
}  // namespace kport
