/// @file free_ends_test.cpp   How a run without rounds ends, and that it leaves no trace in the engine's next run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/sabotage.hpp"
#include "tests/engine/free_runs.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::moves;
using test::on;
using test::options_for;
using test::sbt;
using test::told;

// ---- again and again

TEST(FreeRunning, IsDeterministicOverThousandsOfRuns) {
    const Job job = sbt("hypercube:5");
    const std::string right = told(test::run(job).verdict, job);
    FreeRunning engine(job, options_for(2));
    for (int i = 0; i < 3000; ++i) {
        const auto result = engine.run();
        ASSERT_TRUE(result && told(result->verdict, job) == right) << "run " << i;
    }
}

TEST(FreeRunning, StartsAnewEachTime) {
    bool sends = true;
    Job job = test::job(test::machine("line:2"),
                        [&](Node& self) {
                            return [](Node& node, bool really) -> Program {
                                if (node.id() == 0 && really) co_await node.send(1, Packet(0));
                            }(self, sends);
                        },
                        {0, 1});
    FreeRunning engine(job, options_for(1));
    EXPECT_TRUE(engine.run()->verdict.lawful());
    sends = false;
    EXPECT_FALSE(engine.run()->verdict.delivered);
}

// ---- again, after a run that did not end well

TEST(FreeRunning, ForgetsThatOrderMatteredInTheLastRun) {
    bool takes_first = true;
    Job job = test::job_of_all(test::machine("complete:3", PortLimit::all()), [&](Node& self) {
        return [](Node& node, bool any) -> Program {
            if (node.id() != 0)
                co_await node.send_to(0, Packet(0));
            else if (any)
                co_await node.receive();
            else
                for (const NodeId sender : {1U, 2U}) co_await node.receive_from(sender);
        }(self, takes_first);
    });
    job.payload = false;  // nodes 1 and 2 send what they have not got
    FreeRunning engine(job, options_for(1));
    EXPECT_FALSE(engine.run());
    takes_first = false;
    EXPECT_TRUE(engine.run());
}

TEST(FreeRunning, ForgetsALostWakeUpOfTheLastRun) {
    const Job job = sbt("hypercube:3");
    for (std::uint64_t n = 0; n < 7; ++n) {
        Sabotage sabotage(Fault::lose_wake_up, n);
        RunOptions options = options_for(1);
        options.sabotage = &sabotage;
        FreeRunning engine(job, options);
        const auto first = engine.run();
        EXPECT_TRUE(first && !first->verdict.delivered) << n;
        const auto second = engine.run();
        ASSERT_TRUE(second) << n;
        EXPECT_EQ(told(second->verdict, job), told(test::run(job).verdict, job)) << n;
    }
}

TEST(FreeRunning, GivesTheResultsOfEachRun) {
    Collective collective;
    collective.operation = Operation::allreduce;
    collective.packet_bytes = 24;
    const Machine machine = test::machine("hypercube:3");
    bool gives = true;
    Job job = make_job(best_algorithm(machine, collective, {}), machine, collective, {});
    const auto whole = job.program;
    job.program = [&](Node& self) { return gives ? whole(self) : [](Node&) -> Program { co_return; }(self); };
    FreeRunning engine(job, options_for(1));
    const auto first = engine.run();
    ASSERT_TRUE(first && first->verdict.delivered);
    gives = false;
    const auto second = engine.run();
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->verdict.delivered);
    EXPECT_TRUE(second->results.empty()) << "those of the first are gone";
}

TEST(FreeRunning, WorksOnSeveralThreadsAtOnce) {
    // Node 0 and the last one meet, or one of them gives up.
    std::atomic<int> met = 0;
    const auto program = [&](Node& self) -> Program {
        if (self.id() == 0 || self.id() == 8191) {
            ++met;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
            while (met < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        }
        co_return;
    };
    const Job job = test::job_of_all(test::machine("ring:8192"), program);
    (void)FreeRunning(job, options_for(2)).run();
    EXPECT_EQ(met, 2);
}

TEST(FreeRunning, RecordsTheLastOfSeveralRuns) {
    const Job job = sbt("hypercube:3");
    Schedule recorded;
    FreeRunning engine(job, options_for(2, &recorded));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(engine.run());
    EXPECT_EQ(moves(recorded), moves(test::run(job).schedule));
}

// ---- ends of all kinds

Program wait_for_another(Node& self) {
    const PacketSet own = PacketSet::range(0, 1);
    if (self.id() == 0) co_await self.send_to(1, own);
    if (self.id() == 1) co_await self.receive_from(2);
}

TEST(FreeRunning, CountsMessagesToANodeThatWaitsForAnotherSender) {
    Job job = test::job_of_all(test::machine("line:3"), wait_for_another);
    job.collective = {Operation::allgather, 0, 8};
    const Verdict verdict = FreeRunning(job, options_for(1)).run()->verdict;
    EXPECT_EQ(told(verdict, job), told(test::run(job).verdict, job));
    // The bytes too: one that changes on the way is found.
    for (const Operation& operation : {Operation::allgather, Operation::broadcast}) {
        Sabotage sabotage(Fault::corrupt, 0);
        RunOptions options = options_for(1);
        options.sabotage = &sabotage;
        job.collective.operation = operation;
        if (operation == Operation::broadcast)
            job.program = [](Node& self) -> Program {
                if (self.id() == 0) co_await self.send(test::rightwards, Packet(0));
                if (self.id() == 1) co_await self.receive_from(2);
            };
        const Verdict changed = FreeRunning(job, options).run()->verdict;
        EXPECT_EQ(std::ranges::count(changed.violations, Breach::payload_differs, &Violation::breach), 1);
    }
}

Program wait_in_a_cycle(Node& self) {
    const NodeId next = (self.id() + 1) % self.topology().nodes();
    co_await self.receive_from(next);
    co_await self.send_to(next, Packet(0));
}

TEST(FreeRunning, NamesNodesThatWaitForEverAndTheirSenders) {
    const Job job = test::job_of_all(test::machine("ring:3"), wait_in_a_cycle);
    const Verdict verdict = FreeRunning(job, options_for(2)).run()->verdict;
    EXPECT_EQ(test::sentences(verdict, *job.machine.topology)[2],
              "delivery broken: node 2 waits for ever for a message from node 0");
    EXPECT_EQ(told(verdict, job), told(test::run(job).verdict, job));
}

Program fail_by_number(Node& self) {
    for (NodeId i = 0; i < self.id() % 4; ++i) co_await self.next_round();
    if (self.id() > 5) throw std::runtime_error("out");
}

TEST(FreeRunning, ThrowsTheErrorOfTheEarliestRoundAndLowestNode) {
    const Job job = test::job_of_all(test::machine("ring:64"), fail_by_number);
    for (const unsigned threads : {1U, 2U, 8U}) try {
            (void)FreeRunning(job, options_for(threads)).run();
            FAIL() << "the run did not fail";
        } catch (const ProgramError& error) {
            EXPECT_EQ(std::pair(error.node, error.round), std::pair(NodeId{8}, Round{1}));
        }
}

/// The nodes fail one after the other, from one end or the other, on one thread or another.
Program fail_in_turn(Node& self, bool last_first) {
    const NodeId others = self.topology().nodes() - 1;
    for (NodeId i = last_first ? self.id() : others - self.id(); i < others; ++i) co_await self.next_round();
    throw std::runtime_error("out");
}

TEST(FreeRunning, ThrowsTheEarliestErrorOfAnyThread) {
    for (const bool last_first : {false, true}) {
        const Job job =
            test::job_of_all(test::machine("ring:512"), [=](Node& self) { return fail_in_turn(self, last_first); });
        for (const unsigned threads : {1U, 2U, 8U})
            for (int times = 0; times < 5; ++times) try {
                    (void)FreeRunning(job, options_for(threads)).run();
                    FAIL() << "the run did not fail";
                } catch (const ProgramError& error) {
                    EXPECT_EQ(std::pair(error.node, error.round), std::pair(NodeId{last_first ? 511U : 0U}, Round{1}));
                }
    }
}

Program overrun_sooner_with_a_higher_number(Node& self) {
    const std::vector<SendRequest> sends{SendRequest(0, Packet(0)), SendRequest(1, Packet(0))};
    for (NodeId i = self.id() / 8 + 1; i < self.topology().nodes() / 8; ++i) co_await self.next_round();
    co_await self.send_together(sends);
}

TEST(FreeRunning, ReportsSendsBeyondThePortsByRoundAndNodeOnAnyThread) {
    Job job = test::job_of_all(test::machine("ring:512"), overrun_sooner_with_a_higher_number);
    job.machine.policy = Policy::strict;
    job.payload = false;
    for (const unsigned threads : {1U, 2U, 8U})
        for (int times = 0; times < 5; ++times) {
            const Verdict verdict = FreeRunning(job, options_for(threads)).run()->verdict;
            ASSERT_GT(verdict.violations.size(), 2U);
            EXPECT_TRUE(std::ranges::is_sorted(verdict.violations, {}, [](const Violation& violation) {
                const bool follows = violation.rule() == Rule::nodup || violation.rule() == Rule::noho;
                return std::tuple(violation.round, follows, violation.node);
            })) << threads;
            EXPECT_EQ(verdict.violations.front().node, 504U);
        }
}

Program send_for_ever(Node& self) {
    for (;;) co_await self.send(0, Packet(0));
}
Program idle_for_ever(Node& self) {
    for (;;) co_await self.next_round();
}

Program overrun(Node& self) {
    const std::vector<SendRequest> sends{SendRequest(0, Packet(0)), SendRequest(1, Packet(0))};
    if (self.id() == 0) co_await self.send_together(sends);
}

TEST(FreeRunning, StopsAProgramThatSendsForEver) {
    std::atomic<bool> stop = false;
    RunOptions options = options_for(1);
    options.stop = &stop;
    Job job = test::job_of_all(test::machine("ring:4"), [&](Node& self) -> Program {
        for (int sent = 0;; ++sent) {
            if (sent == 100) stop = true;
            co_await self.send(0, Packet(0));
        }
    });
    job.payload = false;
    EXPECT_TRUE(FreeRunning(job, options).run()->stopped);
}

TEST(FreeRunning, ReportsABreachOnlyInItsOwnRun) {
    Job job = test::job(test::machine("ring:4"), overrun, {0});
    job.machine.policy = Policy::strict;
    FreeRunning engine(job, options_for(1));
    for (int times = 0; times < 2; ++times) {
        const Verdict verdict = engine.run()->verdict;
        EXPECT_EQ(std::ranges::count(verdict.violations, Breach::would_wait_send, &Violation::breach), 1);
    }
}

TEST(FreeRunning, EndsWhenItIsAskedTo) {
    const std::atomic<bool> stop = true;
    RunOptions options = options_for(2);
    options.stop = &stop;
    const Job job = test::job_of_all(test::machine("ring:4"), send_for_ever);
    EXPECT_TRUE(FreeRunning(job, options).run()->stopped);
}

TEST(FreeRunning, EndsWhereNodesLetRoundsPassForEver) {
    const Job job = test::job_of_all(test::machine("ring:4"), idle_for_ever);
    const RunResult result = run(job, options_for(2));
    EXPECT_TRUE(result.stopped && result.out_of_rounds);
    EXPECT_EQ(result.engine, EngineKind::free);
}

TEST(FreeRunning, SpreadsSendsBeyondThePortsOverRoundsWhichStrictForbids) {
    Job job = test::job(test::machine("ring:4"), overrun, {0});
    for (const Policy policy : {Policy::queue, Policy::strict}) {
        job.machine.policy = policy;
        const Verdict verdict = FreeRunning(job, options_for(1)).run()->verdict;
        EXPECT_EQ(told(verdict, job), told(test::run(job).verdict, job));
        EXPECT_EQ(verdict.kept(Rule::strict), policy == Policy::queue);
    }
}

/// Node 0 sleeps between two sends of its second round: the awaited message was sent in the first.
Program send_sleep_and_send(Node& self, Port again_by) {
    if (self.id() == 3) co_await self.send(test::rightwards, Packet(0));
    if (self.id() != 0) co_return;
    co_await self.next_round();
    co_await self.send(test::rightwards, Packet(0));
    co_await self.receive_from(3);
    co_await self.send(again_by, Packet(0));
}

TEST(FreeRunning, KnowsWhatANodeHasSentInARoundWhenItGoesOnInIt) {
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
        for (const Port again_by : {test::rightwards, test::leftwards}) {
            Job job = test::job_of_all(test::machine("ring:4", ports),
                                       [=](Node& self) { return send_sleep_and_send(self, again_by); });
            job.payload = false;  // node 3 sends what it has not got
            Schedule recorded;
            ASSERT_TRUE(FreeRunning(job, options_for(1, &recorded)).run());
            EXPECT_EQ(moves(recorded), moves(test::run(job).schedule));
            const bool waits = ports == PortLimit(1) || again_by == test::rightwards;
            EXPECT_EQ(recorded.rounds(), waits ? 3U : 2U) << "a channel and a port carry one message a round";
        }
}

TEST(FreeRunning, RefusesAMachineWithTooManyNodes) {
    // Senders are told apart up to 2^27 of them: one more is refused, before any memory is asked for.
    const Job job = test::job(test::machine("line:134217729"), overrun, {0});
    EXPECT_THROW(FreeRunning(job, options_for(1)), DoesNotFit);
}

TEST(Threads, AreOneWhereNoneAreAskedFor) {
    const Job chain = test::job_of_all(test::machine("line:3"), [](Node& self) -> Program {
        if (self.id() != 0) co_await self.receive_from(self.id() - 1);
        if (self.id() != 2) co_await self.send(test::rightwards, Packet(0));
    });
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        options.threads = 0;
        const RunResult result = run(chain, options);
        EXPECT_EQ(result.engine, engine);
        EXPECT_EQ(result.threads, 1U);
        EXPECT_TRUE(result.verdict.lawful());
    }
}

TEST(Time, IsReportedForEveryRunAndForAFreeOneAlsoThatOfItsPrograms) {
    const Machine machine = test::machine("hypercube:3");
    for (const EngineKind engine : both_engines) {
        RunOptions options = options_for(1);
        options.engine = engine;
        const RunResult result = run_algorithm(best_algorithm(machine, {}, {}), machine, {}, {}, {}, options);
        EXPECT_GT(result.wall_seconds, 0);
        EXPECT_LT(result.moving_seconds, result.wall_seconds);
        EXPECT_EQ(result.moving_seconds > 0, engine == EngineKind::free);
    }
}

}  // namespace
}  // namespace kport
