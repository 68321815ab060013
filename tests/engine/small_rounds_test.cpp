/// @file small_rounds_test.cpp   Rounds of few messages (engine/small_rounds.hpp) tell what large ones tell.
#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/engine/past_rounds.hpp"
#include "emulator/engine/small_rounds.hpp"
#include "emulator/ranks/letter.hpp"
#include "tests/engine/collectives.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/engine/whole_report.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

std::string report_of(const Job& job, RunOptions options) {
    try {
        const RunResult result = run_lockstep(job, options);
        return fmt::format("{}{} {}", test::whole_report(result, {}, *job.machine.topology), result.stopped,
                           result.out_of_rounds);
    } catch (const ProgramError& error) {
        return error.what();
    }
}

/// Where times of phases are asked for, rounds have phases.
std::string report_of_large_rounds(const Job& job, RunOptions options) {
    std::vector<PhaseTime> phases;
    options.phases = &phases;
    return report_of(job, options);
}

void expect_the_same(const Job& job, RunOptions options = {}) {
    options.threads = 1;
    options.per_round = true;
    const std::string large = report_of_large_rounds(job, options);
    for (const NodeId partition_nodes : {partition_nodes_default, NodeId{1}, NodeId{2}}) {
        options.partition_nodes = partition_nodes;
        EXPECT_EQ(report_of(job, options), large)
            << job.machine.topology->spec() << ", partitions of " << partition_nodes;
    }
}

TEST(SmallRounds, TellTheSameOfEveryRowOfTheCatalogue) {
    std::size_t jobs = 0;
    test::Sample sample(11, 3);
    for (const Machine& machine : test::small_machines())
        for (const Algorithm& algorithm : catalogue())
            for (const std::uint64_t packets : {1U, 3U}) {
                Collective collective = test::collective_for(algorithm, 8 * packets);
                if (packets > 1) {
                    if (algorithm.forward != Operation::broadcast) continue;
                    collective.packets_each = packets;
                }
                if (algorithm.way != Way::program || misfit_of(algorithm, machine, collective, {})) continue;
                if (sample.leaves_out()) continue;
                ++jobs;
                expect_the_same(make_job(algorithm, machine, collective, {}));
            }
    EXPECT_GT(jobs, 500U / sample.one_of());
}

/// Each node passes on to all others what comes, once: claims compete, and what was sent comes back.
Program flooding(Node& self) {
    if (self.id() != 0) co_await self.receive();
    for (Port p = 0; p < self.degree(); ++p) co_await self.send(p, Packet(0));
}

/// Sends what it does not hold, lets rounds pass in between, and fails in the end.
Program odd(Node& self) {
    co_await self.next_round();
    co_await self.send(0, Packet(0));
    for (NodeId i = 0; i < self.id(); ++i) co_await self.next_round();
    co_await self.receive();
    co_await self.send(1, Packet(0));
    if (self.id() == 3) throw std::runtime_error("odd");
}

Job job_of(const char* spec, PortLimit ports, Program (*program)(Node&), bool all_start) {
    Job job;
    job.machine = test::machine(spec, ports);
    job.collective = Collective::broadcast(0, 16);
    job.program = program;
    job.all_start = all_start;
    if (!all_start) job.starters = {0};
    return job;
}

std::vector<Job> odd_jobs() {
    std::vector<Job> jobs;
    for (const char* spec : {"ring:7", "hypercube:3", "complete:5", "torus:3x3"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Duplex duplex : {Duplex::full, Duplex::half})
                for (const Policy policy : {Policy::queue, Policy::strict})
                    for (const bool floods : {true, false}) {
                        jobs.push_back(job_of(spec, ports, floods ? flooding : odd, !floods));
                        jobs.back().machine.duplex = duplex;
                        jobs.back().machine.policy = policy;
                    }
    return jobs;
}

TEST(SmallRounds, TellTheSameWhereClaimsCompeteProgramsWaitAndFail) {
    for (const Job& job : odd_jobs()) expect_the_same(job);
}

TEST(SmallRounds, EndWhereTheRunIsToEnd) {
    std::vector<Job> jobs = odd_jobs();
    const Collective collective = Collective::broadcast(0, 16);
    for (const char* spec : {"line:9", "mesh:3x4"}) {
        const Machine machine = test::machine(spec, PortLimit(1));
        jobs.push_back(make_job(algorithm_named("dost", machine, collective, {}), machine, collective, {}));
    }
    for (const Job& job : jobs)
        for (const Round end : {1U, 2U, 3U, 5U}) {
            RunOptions options;
            options.last_round = end;
            expect_the_same(job, options);
            options.last_round = 0;
            options.max_rounds = end;
            expect_the_same(job, options);
        }
}

/// Nodes of a line: node 0 starts.
struct Line {
    explicit Line(const Job& job, Ranks* ranks = nullptr) : options(of(ranks)), world(job, options, false) {
        for (unsigned i = 0; i < world.deal.partitions(); ++i)
            partitions.push_back(std::make_unique<Partition>(world, i));
        partitions[0]->start_by_itself(0, 1);
    }
    static RunOptions of(Ranks* ranks) {
        RunOptions options;
        options.ranks = ranks;
        return options;
    }
    RunOptions options;
    World world;
    Partition::Partitions partitions;
};

Program along_the_line(Node& self) {
    if (self.id() != 0) co_await self.receive();
    if (self.id() + 1 < self.nodes()) co_await self.send_to(self.id() + 1, Packet(0));
}

constexpr NodeId long_line = 3 * 4096;
constexpr Round no_alarm = ~Round{0};

TEST(SmallRounds, RunAWholeLine) {
    const Job job = job_of("line:12288", PortLimit(1), along_the_line, false);
    Line line(job);
    SmallRounds small(line.world, line.partitions, line.options, nullptr);
    std::uint64_t touched = 1;
    EXPECT_EQ(small.run(1, no_alarm, touched), long_line) << "in this round the last node has nothing to send";
    EXPECT_TRUE(small.has_run());
    EXPECT_EQ(touched, 1U) << "the partition of the third block";
    EXPECT_EQ(line.world.auditor.metrics().transfers, long_line - 1);
    for (const auto& partition : line.partitions) partition->tear_down();
}

TEST(SmallRounds, RunAWholeLineOfNodesThatOnlyForward) {
    const Machine machine = test::machine("line:12288", PortLimit(1));
    const Collective collective = Collective::broadcast(0, 16);
    const Job job = make_job(algorithm_named("dost", machine, collective, {}), machine, collective, {});
    Line line(job);
    Partition& first = *line.partitions.front();
    first.run(1);
    first.collect({&first}, nullptr);
    first.accept(1);
    first.clear_mail();
    line.world.rounds.close(1, std::array{0U});
    SmallRounds small(line.world, line.partitions, line.options, nullptr);
    std::uint64_t touched = 1;
    EXPECT_EQ(small.run(2, no_alarm, touched), long_line);
    EXPECT_EQ(line.world.auditor.metrics().transfers, long_line - 1);
    for (const auto& partition : line.partitions) partition->tear_down();
}

/// Of two, to whom nothing is told.
class FirstOfTwoRanks final : public Ranks {
  public:
    [[nodiscard]] unsigned rank() const override { return 0; }
    [[nodiscard]] unsigned size() const override { return 2; }
    void exchange(std::vector<Letter>&) override { FAIL() << "small rounds are one rank's alone"; }
    [[noreturn]] void abort(int, std::string_view) override { std::abort(); }
};

TEST(SmallRounds, OfOneRankOfSeveralArePastRoundsAndEndBeforeAMessageToAnother) {
    const Job job = job_of("line:12288", PortLimit(1), along_the_line, false);
    FirstOfTwoRanks ranks;
    Line line(job, &ranks);
    PastRounds past;
    SmallRounds small(line.world, line.partitions, line.options, &past);
    std::uint64_t touched = 1;
    EXPECT_EQ(small.run(1, no_alarm, touched), 4096U) << "in this round node 4095 sends to the other rank's first node";
    EXPECT_TRUE(small.has_run());
    EXPECT_EQ(small.moved(), 4095U);
    EXPECT_EQ(line.world.auditor.metrics().transfers, 0U) << "none is closed here";
    Letter letter;
    LetterWriter writer(letter);
    writer(past);
    EXPECT_LT(letter.size(), 1000U) << "of 4095 rounds that are alike";
    Round last = 0;
    past.close_all([](const Silence&) { FAIL() << "in each round something moved"; },
                   [&](const RoundPart& part) {
                       ASSERT_EQ(part.metrics.round, ++last);
                       ASSERT_EQ(part.metrics.transfers, 1U);
                       ASSERT_TRUE(part.agree());
                   });
    EXPECT_EQ(last, 4095U);
    for (const auto& partition : line.partitions) partition->tear_down();
}

TEST(SmallRounds, EndBeforeARoundForWhichANodeWaits) {
    const Job job = job_of("line:12288", PortLimit(1), along_the_line, false);
    Line line(job);
    SmallRounds small(line.world, line.partitions, line.options, nullptr);
    std::uint64_t touched = 1;
    EXPECT_EQ(small.run(1, 100, touched), 100U);
    EXPECT_FALSE(small.has_run());
    EXPECT_EQ(line.world.auditor.metrics().transfers, 99U);
    for (const auto& partition : line.partitions) partition->tear_down();
}

TEST(SmallRounds, EndWhenTheRunIsStopped) {
    const Job job = job_of("line:12288", PortLimit(1), along_the_line, false);
    Line line(job);
    std::atomic<bool> stop = true;
    line.options.stop = &stop;
    SmallRounds small(line.world, line.partitions, line.options, nullptr);
    std::uint64_t touched = 1;
    EXPECT_EQ(small.run(1, no_alarm, touched), 2U) << "the first round is run in any case";
    EXPECT_FALSE(small.has_run());
    for (const auto& partition : line.partitions) partition->tear_down();
}

TEST(SmallRounds, AreThoseOfFewMessages) {
    const Machine machine = test::machine("hypercube:10", PortLimit::all());
    const Collective collective = Collective::broadcast(0, 16);
    Job job = make_job(algorithm_named("sbt", machine, collective, {}), machine, collective, {});
    job.program = [forward = std::move(job.program)](Node& self) { return forward(self); };
    Line cube(job);
    SmallRounds small(cube.world, cube.partitions, cube.options, nullptr);
    std::uint64_t touched = 1;
    EXPECT_EQ(small.run(1, no_alarm, touched), 4U) << "120 nodes may send 1200 messages";
    EXPECT_FALSE(small.has_run());
    for (const auto& partition : cube.partitions) partition->tear_down();
}

}  // namespace
}  // namespace kport
