/// @file ranks_test.cpp   A run on several ranks gives the report of one process: every row of the catalogue, and
///                        programs that break rules. The ranks are threads.
#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "app/stress/stress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/ranks/thread_ranks.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/engine/collectives.hpp"
#include "tests/engine/drawn_timetable.hpp"
#include "tests/engine/scripts.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/engine/whole_report.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

/// `recorded`: with all transfers, for which every rank has the messages of all.
std::string report_of(const Job& job, Ranks* ranks, bool recorded, NodeId partition_nodes = 1) {
    Schedule schedule;
    RunOptions options;
    options.ranks = ranks;
    options.partition_nodes = partition_nodes;
    options.per_round = true;
    if (recorded) options.recorded_schedule = &schedule;
    try {
        return test::whole_report(run_lockstep(job, options), schedule, *job.machine.topology);
    } catch (const ProgramError& error) {
        return error.what();
    }
}

void expect_the_same_on_ranks(const Job& job) {
    for (const bool recorded : {false, true}) {
        const std::string alone = report_of(job, nullptr, recorded);
        for (const unsigned size : recorded ? std::vector{3U} : std::vector{2U, 5U})
            for (const std::string& told :
                 at_each_rank(size, [&](Ranks& ranks) { return report_of(job, &ranks, recorded); }))
                ASSERT_EQ(told, alone) << job.machine.topology->spec() << " " << job.machine.describe() << ", " << size
                                       << " ranks" << (recorded ? ", recorded" : "");
    }
}

class EveryAlgorithmOnRanks : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryAlgorithmOnRanks, GivesTheReportOfOneProcess) {
    const Algorithm& algorithm = *GetParam();
    if (algorithm.way != Way::program) GTEST_SKIP() << "it has no node program";
    std::size_t machines = 0;
    test::Sample sample(47, 5);
    for (const Machine& machine : test::small_machines()) {
        if (sample.leaves_out()) continue;
        for (const std::uint64_t bytes : {8U, 40U}) {
            const Collective collective = test::collective_for(algorithm, bytes);
            if (misfit_of(algorithm, machine, collective, {})) continue;
            ++machines;
            expect_the_same_on_ranks(make_job(algorithm, machine, collective, {}));
            if (HasFatalFailure()) return;
        }
    }
    fmt::print("{} machines\n", machines);
}

std::vector<const Algorithm*> rows_on_ranks() {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : catalogue())
        if (row.way == Way::program) rows.push_back(&row);
    return rows;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryAlgorithmOnRanks, testing::ValuesIn(rows_on_ranks()), [](const auto& test) {
    std::string text = fmt::format("{}_{}", name(test.param->operation), test.param->name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

// ---- programs that compete, wait for ever, and send what they do not hold

TEST(AnyProgramOnRanks, GivesTheReportOfOneProcess) {
    std::mt19937_64 random(2026);
    const test::Draw draw = [&random](std::uint64_t below) { return random() % below; };
    for (int i = 0; i < (test::under_sanitizer ? 20 : 200); ++i) {
        const std::vector<std::string> specs = {"line:3", "ring:5", "complete:8", "hypercube:4", "mesh:4x5"};
        Machine machine = test::any_machine(specs[draw(specs.size())], draw);
        if (draw(2) == 0) machine.policy = Policy::strict;
        if (draw(3) == 0) machine.links = Duplex::half;
        std::vector<test::Script> scripts = test::any_scripts(machine, 5, draw);
        // Where only some of the low nodes do anything, their rank runs alone until something concerns another one.
        if (draw(2) == 0)
            std::fill(scripts.begin() + 1 + static_cast<std::ptrdiff_t>(draw(2)), scripts.end(), test::Script());
        Job job = test::job_of_all(machine, [&scripts](Node& self) { return test::follow(self, scripts[self.id()]); });
        job.payload = draw(2) == 0;
        SCOPED_TRACE(i);
        expect_the_same_on_ranks(job);
        if (HasFatalFailure()) return;
    }
}

// ---- several packets, which move by their numbers until a node sends what it does not hold

TEST(AProgramThatFoldsTwice, GivesOnRanksTheReportOfOneProcess) {
    // A result shows that it was folded twice, wherever that was.
    for (const Reduction& reduction : {Reduction{}, Reduction{Operator::concat, ElementType::text, {}}})
        for (const std::uint64_t segments : {1U, 2U}) {
            Job job = test::job_of_all(test::machine("ring:6"), [](Node& self) -> Program {
                Value all = self.contribution();
                if (self.id() == 0) all = self.fold(all, all);
                for (int i = 0; i < 5; ++i) {
                    co_await self.send_to((self.id() + 1) % self.nodes(), all);
                    const Arrival arrival = co_await self.receive();
                    all = self.merge(all, arrival.value());
                }
                self.result(all);
            });
            job.collective = Collective::allreduce(24);
            job.collective.packets_each = segments;
            job.reduction = reduction;
            expect_the_same_on_ranks(job);
        }
}

TEST(ATimetableOnRanks, GivesTheReportOfOneProcess) {
    std::uint64_t seed = 0;
    for (const char* spec : {"line:5", "complete:8", "hypercube:4"})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            for (const double wrong : {0.0, 0.03, 0.2})
                for (const bool as_coroutines : {false, true}) {
                    const Machine machine = test::machine(spec, ports);
                    const std::uint64_t packets = ++seed % 5 == 0 ? 1 : 6;
                    Job job = test::broadcast_by(
                        std::make_shared<test::DrawnTimetable>(*machine.topology, packets, 1, wrong, seed), machine, 1,
                        packets);
                    if (as_coroutines) job = test::as_programs(job);
                    job.payload = seed % 4 != 0;
                    SCOPED_TRACE(seed);
                    expect_the_same_on_ranks(job);
                    if (HasFatalFailure()) return;
                }
}

// ---- rounds that one rank runs alone

TEST(ARankThatAloneHasSomethingToDo, DoesNotExchangeInEachRound) {
    // Three blocks of 4096 nodes on a line, and a run of more rounds than a rank keeps to itself.
    const Machine machine = test::machine("line:12288");
    const Collective collective = Collective::broadcast(0, 8);
    const Job job = make_job(algorithm_named("dost", machine, collective, {}), machine, collective, {});
    const auto report = [&](Ranks* ranks) {
        RunOptions options;
        options.ranks = ranks;
        options.per_round = true;
        return test::whole_report(run_lockstep(job, options), Schedule(), *machine.topology);
    };
    const std::string alone = report(nullptr);
    for (const unsigned size : {2U, 3U})
        for (const std::size_t exchanges : at_each_rank(size, [&](ThreadRanks& ranks) {
                 EXPECT_EQ(report(&ranks), alone);
                 return ranks.exchanges();
             }))
            EXPECT_LT(exchanges, 14U) << "of 12287 rounds, of which two take a message to another rank";
}

/// In an exchange on 16 nodes each sends over each of 4 dimensions; two ranks of 8 nodes differ in one of these.
TEST(ARank, ReportsHowManyMessagesItHasSentAndHowManyToOthers) {
    const Machine machine = test::machine("hypercube:4");
    const Collective collective = Collective::allreduce(8);
    const Job job = make_job(algorithm_named("exchange", machine, collective, {}), machine, collective, {});
    RunOptions options;
    options.partition_nodes = 1;
    EXPECT_TRUE(run_lockstep(job, options).ranks.empty());
    for (const std::vector<RankFacts>& told : at_each_rank(2, [&](Ranks& ranks) {
             RunOptions here = options;
             here.ranks = &ranks;
             return run_lockstep(job, here).ranks;
         })) {
        ASSERT_EQ(told.size(), 2U);
        for (const RankFacts& rank : told) {
            EXPECT_EQ(rank.messages, 32U);
            EXPECT_EQ(rank.remote, 8U);
            EXPECT_GT(rank.exchange_seconds, 0);
            EXPECT_GT(rank.peak_bytes, 0U);
        }
    }
}

/// After twenty rounds of silence two nodes send to the third at once.
Program compete_after_silence(Node& self) {
    if (self.id() > 2) co_return;
    for (int i = 0; i < 20; ++i) co_await self.next_round();
    if (self.id() != 0) co_await self.send(self.topology().port_to(self.id(), 0), Packet(0));
}

Program fail_after_silence(Node& self) {
    if (self.id() > 2) co_return;
    for (int i = 0; i < 20; ++i) co_await self.next_round();
    if (self.id() == 1) throw std::runtime_error("out of ink");
}

TEST(ARankThatAloneHasSomethingToDo, InformsTheOthersWhenItsClaimsCompeteOrItsProgramsFail) {
    const Machine machine = test::machine("complete:8");
    expect_the_same_on_ranks(test::job_of_all(machine, compete_after_silence));
    expect_the_same_on_ranks(test::job_of_all(machine, fail_after_silence));
}

// ---- errors, ends before the end, refusals

/// On two ranks, the odd nodes on one: node 3's message waits while node 0 sends, and arrives when the odd nodes alone run.
Program send_to_one_that_sends(Node& self) {
    const auto send_to = [&self](NodeId v) { return self.send(self.topology().port_to(self.id(), v), Packet(0)); };
    if (self.id() == 0) {
        co_await send_to(1);
        (void)co_await self.receive();
        co_await send_to(2);
    }
    if (self.id() != 3) co_return;
    co_await send_to(0);
    for (int i = 0; i < 20; ++i) co_await self.next_round();
}

TEST(ARankThatAloneHasSomethingToDo, IsNotAloneWhereAMessageThatWaitedArrives) {
    Machine machine = test::machine("complete:4");
    machine.duplex = Duplex::half;
    expect_the_same_on_ranks(test::job_of_all(machine, send_to_one_that_sends));
}

TEST(ARunOnRanks, NamesTheLowestNodeThatFails) {
    const Job job = test::job_of_all(test::machine("ring:16"), [](Node& self) -> Program {
        if (self.id() % 5 == 4) throw std::runtime_error("out of ink");
        co_return;
    });
    EXPECT_EQ(report_of(job, nullptr, false), "node 4 in round 1: out of ink");
    expect_the_same_on_ranks(job);
}

TEST(ARunOnRanks, StopsTogetherAfterTheLastRoundOrWhereOneIsStopped) {
    const Machine machine = test::machine("line:16");
    const Collective collective = Collective::broadcast(0, 8);
    const Job job = make_job(algorithm_named("dost", machine, collective, {}), machine, collective, {});
    for (const auto& result : at_each_rank(3, [&](Ranks& ranks) {
             RunOptions options;
             options.ranks = &ranks;
             options.partition_nodes = 1;
             options.last_round = 5;
             return run_lockstep(job, options);
         })) {
        EXPECT_TRUE(result.stopped);
        EXPECT_EQ(result.verdict.metrics.rounds, 5U);
        EXPECT_EQ(result.verdict.holders, 6U);
    }
    // Rank 0 has nodes 0 to 3, and runs them while the others wait for it.
    for (const unsigned stopped : {0U, 1U})
        for (const auto& result : at_each_rank(3, [&](Ranks& ranks) {
                 const std::atomic<bool> stop = ranks.rank() == stopped;
                 RunOptions options;
                 options.ranks = &ranks;
                 options.partition_nodes = 4;
                 options.stop = &stop;
                 return run_lockstep(job, options);
             })) {
            EXPECT_TRUE(result.stopped);
            EXPECT_EQ(result.verdict.metrics.rounds, stopped == 0 ? 1U : 4U);
        }
}

TEST(ARunOnRanks, HasAnyNumberOfRoundsInWhichTheSamePartitionsSendToOthers) {
    const Machine machine = test::machine("ring:130");
    const Collective collective = Collective::allgather(8);
    expect_the_same_on_ranks(make_job(algorithm_named("ring", machine, collective, {}), machine, collective, {}));
}

TEST(ARunOnRanks, GoesOnWhereARankHasRunAloneForAsLongAsItMayAndThenSendsToAnother) {
    constexpr NodeId alone_at_most = 4096;
    for (const NodeId more : {0U, 1U, 5U})
        for (const bool as_coroutines : {false, true}) {
            const Machine machine = test::machine(fmt::format("line:{}", 2 * alone_at_most + more + 8));
            const Collective collective = Collective::broadcast(0, 8);
            Job job = make_job(algorithm_named("dost", machine, collective, {}), machine, collective, {});
            if (as_coroutines) job = test::as_programs(std::move(job));
            for (const NodeId of_a_partition :
                 {alone_at_most - 1, alone_at_most, alone_at_most + more, 2 * alone_at_most}) {
                const std::string alone = report_of(job, nullptr, false, of_a_partition);
                EXPECT_THAT(alone, testing::HasSubstr(fmt::format("{}", machine.topology->nodes() - 1)));
                for (const std::string& told :
                     at_each_rank(2, [&](Ranks& ranks) { return report_of(job, &ranks, false, of_a_partition); }))
                    EXPECT_TRUE(told == alone)
                        << of_a_partition << " nodes a partition of " << machine.topology->nodes();
            }
        }
}

TEST(ARunOnRanks, ReportsWhatTheThreadsOfEachRankDid) {
    const Job job = test::job_of_all(test::machine("complete:8"), compete_after_silence);
    for (const std::vector<PhaseTime>& phases : at_each_rank(2, [&](Ranks& ranks) {
             std::vector<PhaseTime> times;
             RunOptions options;
             options.ranks = &ranks;
             options.partition_nodes = 1;
             options.phases = &times;
             (void)run_lockstep(job, options);
             return times;
         }))
        for (const unsigned rank : {0U, 1U})
            for (const Phase phase : {Phase::programs, Phase::exchange, Phase::arbitrate})
                EXPECT_TRUE(std::ranges::any_of(
                    phases, [&](const PhaseTime& time) { return time.rank == rank && time.phase == phase; }))
                    << "rank " << rank << ": " << name(phase);
}

// ---- stress

TEST(StressOnRanks, RunsEachCaseByAllOfThemToo) {
    StressOptions options;
    options.cases = test::under_sanitizer ? 20 : 150;
    options.seconds.reset();
    options.seed = 11;
    options.trials.threads_max = 1;
    const StressOutcome alone = stress_catalogue(options);
    const std::vector<StressOutcome> told = at_each_rank(3, [&](Ranks& ranks) {
        StressOptions here = options;
        here.trials.ranks = &ranks;
        return stress_catalogue(here);
    });
    for (const StressOutcome& outcome : told) {
        EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
        EXPECT_EQ(outcome.coverage.cases, alone.coverage.cases);
    }
    EXPECT_GT(told.front().coverage.by_ranks, 0U);
    EXPECT_EQ(told.front().coverage.runs, alone.coverage.runs + told.front().coverage.by_ranks);
}

/// Returns the outcome at each rank for a subject's cases.
std::vector<StressOutcome> stressed(unsigned ranks, std::uint64_t cases, Operation operation,
                                    const std::function<Subject()>& subject) {
    return at_each_rank(ranks, [&](Ranks& here) {
        StressOptions options;
        options.cases = cases;
        options.seconds.reset();
        options.trials.threads_max = 1;
        options.trials.ranks = &here;
        return stress({subject()}, operation, options);
    });
}

TEST(StressOnRanks, RunsWhatIsAReversalByAllOfThemToo) {
    const auto told =
        stressed(2, 5, Operation::reduce, [] { return subject_of(*find_algorithm(Operation::reduce, "sbt")); });
    for (const StressOutcome& outcome : told) {
        EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
        EXPECT_EQ(outcome.coverage.cases, 5U);
    }
    EXPECT_EQ(told.front().coverage.by_ranks, 5U);
}

TEST(StressOnRanks, FindsWhatGoesWrongByRanksAlone) {
    const auto lazy_at_rank_1 = [] {
        Subject lazy = subject_of(*find_algorithm(Operation::broadcast, "farthest-first"));
        lazy.run = [run_all = lazy.run, make = lazy.job](const Case& c, const RunOptions& how) {
            if (how.ranks == nullptr || how.ranks->rank() != 1) return run_all(c, how);
            Job job = make(c);
            job.program = [](Node&) -> Program { co_return; };
            return run(job, how);
        };
        return lazy;
    };
    for (const StressOutcome& outcome : stressed(3, 20, Operation::broadcast, lazy_at_rank_1)) {
        ASSERT_TRUE(outcome.breakage);
        EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::report_differs);
        EXPECT_EQ(outcome.breakage->failure.how.ranks, 3U);
        EXPECT_THAT(outcome.breakage->text(), testing::HasSubstr("by 3 ranks: another report"));
        EXPECT_TRUE(outcome.breakage->smallest);
        EXPECT_LE(outcome.breakage->c.topology().nodes(), 8U) << "shrunk until no other rank has a node that sends";
    }
}

TEST(ARunOnRanks, RefusesWhatOneProcessAloneCanDo) {
    const Job job = test::job_of_all(test::machine("line:4"), [](Node&) -> Program { co_return; });
    SeededOrder order(1);
    for (const std::string& told : at_each_rank(2, [&](Ranks& ranks) -> std::string {
             RunOptions options;
             options.ranks = &ranks;
             options.order = &order;
             try {
                 (void)run_lockstep(job, options);
                 return "it ran";
             } catch (const RequestError& error) {
                 return error.what();
             }
         }))
        EXPECT_THAT(told, testing::HasSubstr("several ranks"));
}

}  // namespace
}  // namespace kport
