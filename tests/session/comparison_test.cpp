/// @file comparison_test.cpp   Every algorithm that applies, on one machine and on many.
#include "app/session/comparison.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/session/experiments.hpp"

namespace kport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(AComparison, RunsWhatAppliesAndSaysWhyTheOthersDoNot) {
    const Comparison comparison = compare(experiment("mesh:3x3"));
    EXPECT_EQ(comparison.ending, Ending::lawful);
    EXPECT_FALSE(comparison.reports.empty());
    ASSERT_EQ(comparison.reports.size(), comparison.fitting.size());
    for (std::size_t i = 0; i < comparison.reports.size(); ++i)
        EXPECT_EQ(comparison.reports[i].algorithm, comparison.fitting[i]->name);
    std::size_t of_operation = 0;
    for (const Algorithm& row : catalogue()) of_operation += row.operation == Operation::broadcast ? 1 : 0;
    EXPECT_EQ(comparison.fitting.size() + comparison.misfits.size(), of_operation);
    const auto sbt = std::ranges::find(comparison.misfits, "sbt", &Misfit::algorithm);
    ASSERT_NE(sbt, comparison.misfits.end());
    EXPECT_THAT(sbt->why, HasSubstr("needs a hypercube"));
    EXPECT_FALSE(sbt->if_named);
}

TEST(AComparison, LeavesOutWhatBreaksRulesUnlessItIsNamed) {
    Experiment e = experiment("ring:6");
    e.machine.ports = PortLimit::all();
    const Comparison all = compare(e);
    const auto direct = std::ranges::find(all.misfits, true, &Misfit::if_named);
    ASSERT_NE(direct, all.misfits.end());
    e.algorithm = direct->algorithm;
    const Comparison named = compare(e);
    ASSERT_EQ(named.reports.size(), 1U);
    EXPECT_EQ(named.reports.front().algorithm, direct->algorithm);
}

TEST(AComparison, WithoutAnAlgorithmIsNoError) {
    Experiment e = experiment("petersen", Operation::scan);
    e.machine.combining = false;
    const Comparison comparison = compare(e);
    EXPECT_TRUE(comparison.reports.empty());
    EXPECT_FALSE(comparison.misfits.empty());
    EXPECT_THAT(no_algorithm_text(e), HasSubstr("no algorithm of scan runs on petersen (1-port"));
}

TEST(AComparison, EndsEarlyWhenItIsToStop) {
    std::atomic<bool> stop = false;
    Caller caller;
    caller.stop = &stop;
    caller.ended = [&](const Outcome&) { stop = true; };
    const Comparison comparison = compare(experiment("hypercube:4"), caller);
    ASSERT_GT(comparison.fitting.size(), 1U);
    EXPECT_EQ(comparison.reports.size(), 1U);
    EXPECT_TRUE(comparison.stopped);
    EXPECT_EQ(comparison.ending, Ending::stopped);
}

TEST(ManyComparisons, AreLookedAtFirstAndThenRun) {
    const std::vector<Experiment> experiments = {experiment("line:4"), experiment("ring:5")};
    std::vector<std::string> told;
    const Comparisons all = compare(experiments, {}, [&](std::size_t i, const Algorithm* algorithm) {
        if (algorithm == nullptr || told.size() < 3)
            told.push_back(std::to_string(i) + (algorithm == nullptr ? " looked at" : " run"));
    });
    EXPECT_THAT(told, ElementsAre("0 looked at", "1 looked at", "0 run"));
    ASSERT_EQ(all.machines.size(), 2U);
    EXPECT_EQ(all.done, 2U);
    EXPECT_FALSE(all.stopped);
    EXPECT_EQ(all.ending, Ending::lawful);
    EXPECT_EQ(all.machines[1].reports.front().machine.topology->spec(), "ring:5");
}

TEST(ManyComparisons, AreRefusedBeforeTheFirstRunWhereOneHasNoAlgorithm) {
    std::vector<Experiment> experiments = {experiment("hypercube:3", Operation::reduce_scatter),
                                           experiment("petersen", Operation::scan)};
    experiments.back().machine.combining = false;
    bool ran = false;
    Caller caller;
    caller.begins = [&](const Chosen&) { ran = true; };
    EXPECT_THAT(refusal([&] { (void)compare(experiments, caller); }),
                HasSubstr("no algorithm of scan runs on petersen"));
    EXPECT_FALSE(ran);
}

TEST(ManyComparisons, KeepTheReportsBeforeAFailure) {
    std::vector<Experiment> experiments = {experiment("line:4"), experiment("line:1"), experiment("line:5")};
    for (Experiment& e : experiments) e.injection = injection_named("drop");
    const Comparisons all = compare(experiments);
    EXPECT_TRUE(all.stopped);
    EXPECT_EQ(all.done, 1U);
    ASSERT_EQ(all.machines.size(), 1U);
    EXPECT_EQ(all.machines.front().ending, Ending::broken);
    EXPECT_EQ(all.ending, Ending::stopped);
    EXPECT_THAT(refusal([&] { std::rethrow_exception(all.failure); }), HasSubstr("line:1 has no place for it"));
}

TEST(ManyComparisons, LeaveOutWhatIsNotBegunWhenTheyAreToStop) {
    const std::vector<Experiment> experiments = {experiment("hypercube:3"), experiment("line:5")};
    std::atomic<bool> stop = false;
    Caller caller;
    caller.stop = &stop;
    caller.ended = [&](const Outcome&) { stop = true; };
    const Comparisons all = compare(experiments, caller);
    EXPECT_EQ(all.machines.size(), 1U);
    EXPECT_EQ(all.done, 0U);
    EXPECT_EQ(all.ending, Ending::stopped);
    EXPECT_EQ(all.failure, nullptr);
}

}  // namespace
}  // namespace kport::test
