/// @file watch_test.cpp   Of a node program that computes for ever without `co_await` a run tells while it hangs.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::machine;
using test::rightwards;

/// Until the test has heard of it; if it never does, for long enough to fail.
void compute_until(const std::atomic<bool>& heard) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!heard && std::chrono::steady_clock::now() < end) {
    }
}

/// Down a line of three; node 1 computes before it sends in round 2.
Job line_of_three(const std::atomic<bool>& heard) {
    return test::job(machine("line:3"),
                     [&](Node& self) -> Program {
                         if (self.id() != 0) co_await self.receive();
                         if (self.id() == 1) compute_until(heard);
                         if (self.id() != 2) co_await self.send(rightwards, Packet(0));
                     },
                     {0});
}

std::vector<RunOptions> engines() {
    std::vector<RunOptions> all;
    for (const EngineKind engine : both_engines)
        for (const unsigned threads : {1U, 2U}) {
            RunOptions& options = all.emplace_back();
            options.engine = engine;
            options.threads = threads;
            options.computing_after = std::chrono::milliseconds(10);
        }
    return all;
}

TEST(Watch, TellsOfANodeThatComputesWithoutWaiting) {
    for (RunOptions options : engines()) {
        std::atomic<bool> heard = false;
        std::vector<Computing> told;
        options.computing = [&](const Computing& computing) {
            if (computing.node != 1) return;  // on a busy machine any node may be held up
            told.push_back(computing);
            heard = told.size() == 3;
        };
        const Job job = line_of_three(heard);
        const RunResult result = run(job, options);
        EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered);
        ASSERT_GE(told.size(), 3U);
        EXPECT_EQ(told.front().round, 2U);
        EXPECT_FALSE(told.front().stopping);
        EXPECT_GE(told[0].seconds, 0.01);
        EXPECT_GE(told[1].seconds, 0.02) << "each time after twice as long";
        EXPECT_GE(told[2].seconds, 0.04);
        EXPECT_THAT(text(told.front(), *job.machine.topology),
                    testing::MatchesRegex("round 2: node 1 has been computing for .* s without co_await"));
    }
}

TEST(Watch, HandsWhatTheCallerThrowsOnToTheRun) {
    for (RunOptions options : engines()) {
        std::atomic<bool> heard = false;
        options.computing = [&](const Computing&) {
            heard = true;
            throw std::domain_error("the caller's");
        };
        const Job job = line_of_three(heard);
        EXPECT_THROW((void)run(job, options), std::domain_error);
    }
}

TEST(Watch, SaysThatTheRunIsToStopAndCannot) {
    for (RunOptions options : engines()) {
        std::atomic<bool> heard = false;
        std::atomic<bool> stop = false;
        options.stop = &stop;
        options.computing = [&](const Computing& computing) {
            if (computing.node != 1) return;
            if (computing.stopping) heard = true;
            stop = true;
        };
        EXPECT_TRUE(run(line_of_three(heard), options).stopped);
        EXPECT_TRUE(heard);
    }
}

TEST(Watch, SeesWhoMakesAProgramToo) {
    std::atomic<bool> heard = false;
    const auto program = [](Node&) -> Program { co_return; };
    Job job = test::job(machine("line:2"), program, {0});
    job.program = [&](Node& self) {
        compute_until(heard);
        return program(self);
    };
    RunOptions options;
    options.computing_after = std::chrono::milliseconds(10);
    options.computing = [&](const Computing&) { heard = true; };
    (void)run(job, options);
    EXPECT_TRUE(heard);
}

}  // namespace
}  // namespace kport
