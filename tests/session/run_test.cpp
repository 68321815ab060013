/// @file run_test.cpp   An experiment becomes a report; its caller stops it and hears of it.
#include "app/session/run.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "app/session/reporting.hpp"
#include "tests/session/experiments.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ARun, CountsBesideTheBounds) {
    const Outcome outcome = run(experiment("hypercube:4"));
    const Report& report = outcome.report;
    EXPECT_EQ(outcome.ending, Ending::lawful);
    EXPECT_TRUE(report.verdict.lawful());
    EXPECT_EQ(report.verdict.metrics.rounds, 4U);
    EXPECT_EQ(report.bounds[Quantity::rounds].value, 4);
    EXPECT_EQ(optimal(report, Quantity::rounds), true);
    EXPECT_EQ(report.root, 0U);
    EXPECT_THAT(report.chosen, HasSubstr("smallest predicted latency"));
    EXPECT_EQ(report.again,
              "kport run broadcast --on hypercube:4 --ports 1 --algorithm " + report.algorithm + " --threads 1");
}

TEST(ARun, IsAsTheExperimentSays) {
    Experiment e = experiment("ring:6", Operation::allreduce);
    e.collective.packet_bytes = 8;
    e.options.reduction.values = {"1", "2", "3", "4", "5", "6"};
    e.engine = EngineKind::free;
    e.per_round = true;
    const Report report = run(e).report;
    EXPECT_EQ(engine_name(report), "free");
    EXPECT_EQ(report.results, std::vector<std::string>(6, "21"));
    EXPECT_EQ(report.verdict.per_round.size(), report.verdict.metrics.rounds);
    e.algorithm = "no-such";
    EXPECT_THAT(refusal([&] { (void)run(e); }), HasSubstr("'no-such'"));
}

TEST(ARun, IsRefusedWhereTheExperimentIsNotValid) {
    Experiment e = experiment("ring:6");
    e.threads = 0;
    EXPECT_EQ(refusal([&] { (void)run(e); }), "threads 0 is not from 1 to 1024");
}

TEST(ARun, WithAFaultIsBrokenAndTellsIt) {
    Experiment e = experiment("hypercube:4");
    e.injection = injection_named("drop");
    e.seed = 3;
    const Outcome outcome = run(e);
    EXPECT_EQ(outcome.ending, Ending::broken);
    ASSERT_EQ(outcome.report.faults.size(), 1U);
    EXPECT_TRUE(found(outcome.report, outcome.report.faults.front()));
    EXPECT_THAT(outcome.report.again, HasSubstr("--seed 3 --inject drop"));
}

TEST(AFault, IsWhereTheSeedOfTheExperimentSays) {
    Experiment e = experiment("hypercube:6");
    e.injection = injection_named("drop");
    const auto of_seed = [&](std::uint64_t seed, std::uint64_t of_injection) {
        e.seed = seed;
        e.injection->seed = of_injection;
        return run(e).report.faults.front().what;
    };
    EXPECT_EQ(of_seed(5, 1), of_seed(5, 2));
    EXPECT_NE(of_seed(5, 1), of_seed(6, 1));
}

TEST(AFault, WithoutAPlaceIsRefusedWithItsNeeds) {
    Experiment e = experiment("hypercube:3");
    e.payload = false;
    e.algorithm = "sbt";
    e.injection = injection_named("corrupt");
    EXPECT_EQ(refusal([&] { (void)run(e); }),
              "injection corrupt: broadcast sbt on hypercube:3 has no place for it; it needs messages with bytes");
}

TEST(ARunBelowItsBound, IsNoLawfulEnding) {
    const Chosen chosen = choose(experiment("line:5"));
    const auto ending = [&](std::uint64_t rounds_too_few) {
        RunResult result = run_algorithm(*chosen.algorithm, chosen.experiment.machine, chosen.experiment.collective,
                                         chosen.experiment.options, {}, {});
        result.verdict.metrics.path_sum -= rounds_too_few;
        Outcome outcome;
        put_beside_bounds(chosen, std::move(result), outcome);
        return outcome.ending;
    };
    EXPECT_EQ(ending(0), Ending::lawful);
    EXPECT_EQ(ending(1), Ending::broken) << "a fault of kport";
}

TEST(AStoppedRun, HasNoVerdict) {
    const std::atomic<bool> stop = true;
    Caller caller;
    caller.stop = &stop;
    EXPECT_EQ(run(experiment("line:50"), caller).ending, Ending::stopped);
    Experiment e = experiment("line:50");
    e.max_rounds = 3;
    const Outcome outcome = run(e);
    EXPECT_EQ(outcome.ending, Ending::stopped);
    EXPECT_TRUE(outcome.report.out_of_rounds);
    e.injection = injection_named("drop");
    EXPECT_TRUE(run(e).before_fault);
}

TEST(AStoppedRun, IsBrokenWhereTheRoundsThatWereAskedForAre) {
    Experiment e = experiment("line:20");
    e.until = 10;
    EXPECT_EQ(run(e).ending, Ending::stopped);
    e.injection = Injection{Fault::duplicate, 1.0};
    const Outcome outcome = run(e);
    EXPECT_TRUE(outcome.report.stopped);
    EXPECT_EQ(outcome.ending, Ending::broken);
}

TEST(TheCaller, HearsWhatBeginsAndHowItEnded) {
    std::vector<std::string> heard;
    Caller caller;
    caller.begins = [&](const Chosen& chosen) { heard.push_back("begins " + std::string(chosen.algorithm->name)); };
    caller.ended = [&](const Outcome& outcome) { heard.push_back("ended " + outcome.report.algorithm); };
    Experiment e = experiment("hypercube:3");
    e.algorithm = "sbt";
    (void)run(e, caller);
    EXPECT_THAT(heard, ElementsAre("begins sbt", "ended sbt"));
    e.memory = 1;
    EXPECT_THROW((void)run(e, caller), DoesNotFit);
    EXPECT_EQ(heard.size(), 2U) << "what is not admitted does not begin";
}

TEST(TheCaller, SeesWhatTheThreadsDidWhileTheCountsStayTheSame) {
    for (const Operation& operation : {Operation::broadcast, Operation::gather}) {  // a gather runs a scatter first
        Experiment e = experiment("hypercube:10", operation);
        e.threads = 2;
        e.partition_nodes = 64;
        std::vector<PhaseTime> phases = {{Phase::audit, 7, 0, 0, 0, 0}};
        Caller caller;
        caller.phases = &phases;
        const Verdict verdict = run(e, caller).report.verdict;
        EXPECT_EQ(verdict, run(e).report.verdict);
        std::vector<Round> audited;
        const PhaseTime* before = nullptr;
        for (const PhaseTime& time : phases) {
            EXPECT_LT(time.thread, 2U);
            EXPECT_LT(time.partition, 16U);
            EXPECT_LE(time.begin_seconds, time.end_seconds);
            if (before != nullptr && before->thread == time.thread) {
                EXPECT_LE(before->end_seconds, time.begin_seconds) << "a thread does one thing at a time";
            }
            before = &time;
            if (time.phase == Phase::audit) audited.push_back(time.round);
        }
        EXPECT_EQ(audited.size(), verdict.metrics.rounds) << "one run alone is told";
    }
}

TEST(TheCaller, HearsOfProgress) {
    std::uint64_t rounds = 0;
    Caller caller;
    caller.progress = [&](const Metrics& metrics, std::uint64_t) { rounds = metrics.rounds; };
    Experiment e = experiment(test::under_sanitizer ? "line:200000" : "line:2000000");
    e.payload = false;
    EXPECT_EQ(run(e, caller).ending, Ending::lawful);
    EXPECT_GT(rounds, 0U);
}

TEST(TheLibrary, WritesNothing) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Experiment e = experiment("line:50");
    e.max_rounds = 3;
    (void)run(e);
    e.injection = injection_named("drop");
    (void)run(e);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Runs, AtTheSameTimeDoNotDisturbEachOther) {
    const auto counted = [](std::string_view spec) {
        std::string text;
        for (const Operation& operation : {Operation::broadcast, Operation::scatter, Operation::allreduce}) {
            const Report report = run(experiment(spec, operation)).report;
            text += report.algorithm + " " + std::to_string(report.verdict.metrics.latency) + "\n";
        }
        return text;
    };
    const std::vector<std::string> specs = {"hypercube:5", "mesh:4x5", "ring:9", "torus:3x3"};
    std::vector<std::string> alone;
    for (const std::string& spec : specs) alone.push_back(counted(spec));
    std::vector<std::string> together(specs.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < specs.size(); ++i) threads.emplace_back([&, i] { together[i] = counted(specs[i]); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(together, alone);
}

TEST(ACheck, JudgesACollectiveOfOnesOwn) {
    Submission submission{
        "shift.json",
        "json",
        {},
        Collective::custom({.name = "shift",
                            .packets = 3,
                            .owned = [](NodeId v) { return PacketSet::range(v, v + 1); },
                            .wanted = [](NodeId v) { return v == 0 ? PacketSet() : PacketSet::range(v - 1, v); }}),
        {}};
    submission.machine.topology = make_topology("line:3");
    const auto pass_on = [&](std::uint32_t from) {
        const Port right = 1;
        const PacketBlock packet{from};
        submission.schedule.add(1, {from, from + 1, {&right, 1}, {&packet, 1}});
    };
    pass_on(0);
    EXPECT_EQ(check(submission, false).ending, Ending::broken) << "nothing came to node 2";
    pass_on(1);
    const Outcome outcome = check(submission, false);
    EXPECT_EQ(outcome.ending, Ending::lawful);
    EXPECT_EQ(name(outcome.report.collective.operation), "shift");
    EXPECT_EQ(outcome.report.verdict.holders, 3U);
}

TEST(ACheck, IsNoPraiseWhereWhatIsToArriveIsNotKnown) {
    Submission submission{"x.goal", "goal", {}, Collective::none(), {}};
    submission.machine.topology = make_topology("line:3");
    EXPECT_EQ(check(submission, false).ending, Ending::lawful);
    submission.judgement.not_judged.push_back({"delivery", "no operation is named"});
    EXPECT_EQ(check(submission, false).ending, Ending::stopped);
}

}  // namespace
}  // namespace kport::test
