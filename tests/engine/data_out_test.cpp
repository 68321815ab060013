/// @file data_out_test.cpp   What a program of one's own gets out of a run: first receipts, holdings, all results, all violations.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/critical_path.hpp"
#include "tests/engine/own_runs.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::machine;
using test::on;

Job job_of(const char* algorithm, const Collective& collective, const Machine& machine) {
    return make_job(algorithm_named(algorithm, machine, collective, {}), machine, collective, {});
}

TEST(AResult, OfEveryNodeIsThereWhereItIsAskedFor) {
    const Job job = job_of("exchange", Collective::allreduce(8), machine("hypercube:7"));
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        EXPECT_EQ(run(job, options).results.size(), shown_results_max);
        options.results_max = 128;
        const RunResult all = run(job, options);
        EXPECT_EQ(all.results, std::vector(128, all.results.front()));
        options.results_max = 0;
        EXPECT_TRUE(run(job, options).results.empty());
    }
}

TEST(AViolation, IsListedUpToTheNumberThatIsAskedForAndAllAreCounted) {
    // Only the source has the packet.
    const Job job = test::job(machine("ring:300"), [](Node&) -> Program { co_return; }, {0});
    for (const EngineKind engine : both_engines)
        for (const std::size_t most : {std::size_t{0}, std::size_t{7}, ViolationLog::listed_max, std::size_t{1000}}) {
            RunOptions options = on(engine);
            options.violations_max = most;
            const Verdict verdict = run(job, options).verdict;
            EXPECT_EQ(verdict.violation_count, 299U);
            EXPECT_EQ(verdict.violations_by_rule[static_cast<std::size_t>(Rule::delivery)], 299U);
            EXPECT_EQ(verdict.violations.size(), std::min<std::size_t>(most, 299));
            EXPECT_EQ(audit({}, job.machine, job.collective, false, most).violations, verdict.violations);
        }
}

TEST(AReceipt, IsTheSameOnEveryEngineAndAgreesWithTheRounds) {
    for (const char* const algorithm : {"sbt", "dost"}) {
        const Machine each = machine(algorithm == std::string("sbt") ? "hypercube:6" : "mesh:6x7");
        const Job job = job_of(algorithm, Collective::broadcast(0, 8), each);
        std::vector<FirstReceipt> first;
        for (const EngineKind engine : both_engines) {
            Schedule schedule;
            RunOptions options = on(engine);
            options.per_round = true;
            options.recorded_schedule = &schedule;
            options.threads = 2;
            const Verdict verdict = run(job, options).verdict;
            const std::vector<FirstReceipt> receipts = first_receipts(schedule, *each.topology);
            if (first.empty()) first = receipts;
            EXPECT_EQ(receipts, first);
            for (const RoundMetrics& round : verdict.per_round)
                EXPECT_EQ(std::ranges::count(receipts, round.round, &FirstReceipt::round), round.reached);
            const std::vector<PacketSet> held = holdings(schedule, job.collective, *each.topology);
            EXPECT_EQ(std::ranges::count(held, 1U, &PacketSet::size), verdict.holders);
        }
    }
}

TEST(Holdings, OfAScatterAreWhatTheAuditorFinds) {
    for (const EngineKind engine : both_engines) {
        const Machine cube = machine("hypercube:5");
        const Job job = job_of("sbt", Collective::scatter(0, 8), cube);
        Schedule schedule;
        RunOptions options = on(engine);
        options.recorded_schedule = &schedule;
        EXPECT_TRUE(run(job, options).verdict.lawful());
        const std::vector<PacketSet> held = holdings(schedule, job.collective, *cube.topology);
        for (NodeId v = 0; v < held.size(); ++v)
            EXPECT_TRUE(held[v].covers(job.collective.wanted(v, cube.topology->nodes()).blocks()));
    }
}

}  // namespace
}  // namespace kport
