/// @file faults_test.cpp   Every injected fault is found and classified; no false positives.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "app/stress/stress.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

/// Cases a class of faults. A night run asks for more.
std::uint64_t cases_wanted() {
    if (const char* cases = std::getenv("KPORT_FAULT_CASES")) return std::strtoull(cases, nullptr, 10);
    return test::under_sanitizer ? 12 : 150;
}

StressOptions so_many(std::uint64_t cases, std::uint64_t seed) {
    StressOptions options;
    options.seconds.reset();
    options.cases = cases;
    options.seed = seed;
    options.nodes_max = 32;
    options.trials.threads_max = 1;
    return options;
}

class EveryFault : public testing::TestWithParam<FaultInfo> {};

TEST_P(EveryFault, IsNamedByTheAuditorWithRuleRoundNodeAndPacket) {
    const FaultInfo& fault = GetParam();
    Coverage all;
    for (std::uint64_t seed = 1; all.faults < cases_wanted(); ++seed) {
        StressOptions options = so_many(test::under_sanitizer ? 20 : 150, seed);
        options.trials.injection = Injection{fault.fault, {}, 1};
        const StressOutcome outcome = stress_catalogue(options);
        ASSERT_FALSE(outcome.breakage) << outcome.breakage->text();
        ASSERT_LT(seed, 1000 + cases_wanted()) << "the fault is hardly ever injected";
        all.faults += outcome.coverage.faults;
        all.caught += outcome.coverage.caught;
        all.harmless += outcome.coverage.harmless;
    }
    EXPECT_EQ(all.caught + all.harmless, all.faults);
    // The node may be idle, and the value may never be sent on or be in no prefix.
    const bool may_do_no_harm = fault.fault == Fault::lose_wake_up || fault.folds();
    EXPECT_GE(all.caught, may_do_no_harm ? all.faults / 2 : all.faults);
}

std::string name_of(const testing::TestParamInfo<FaultInfo>& info) {
    std::string name(info.param.name);
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryFault, testing::ValuesIn(faults()), name_of);

TEST(FaultsTest, ThereAreAtLeastTwentyClasses) { EXPECT_GE(faults().size(), 20U); }

/// No transfer shows it: the message moved, but its receiver never ran and holds nothing.
TEST(FaultsTest, AWakeUpThatTheFreeEngineLosesIsNamedEvenWhereTheNodeHadNothingMoreToDo) {
    Machine pair;
    pair.topology = make_topology("line:2");
    const Collective collective{Operation::broadcast, 0, 8};
    RunOptions options;
    options.engine = EngineKind::free;
    const AlgorithmOptions plain;
    const auto faulty = run_with_fault(best_algorithm(pair, collective, plain), pair, collective, plain, {}, options,
                                       {Fault::lose_wake_up, {}, 1});
    ASSERT_TRUE(faulty);
    std::vector<Breach> told;
    for (const Violation& v : faulty->result.verdict.violations) {
        told.push_back(v.breach);
        EXPECT_EQ(v.node, 1U);
    }
    EXPECT_THAT(told, testing::UnorderedElementsAre(Breach::waits_for_ever, Breach::payload_missing));
    EXPECT_FALSE(faulty->result.verdict.delivered);
}

TEST(FaultsTest, CleanRunsOfTheCatalogueGiveNoFalsePositive) {
    StressOptions options = so_many(cases_wanted(), 1);
    options.trials.threads_max = 2;
    const StressOutcome outcome = stress_catalogue(options);
    EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
    EXPECT_EQ(outcome.coverage.cases, cases_wanted());
}

TEST(FaultsTest, ManyFaultsInARunAreJudgedAlikeByAuditorAndUmpire) {
    for (const FaultInfo& fault : faults()) {
        if (fault.fault == Fault::malformed) continue;
        StressOptions options = so_many(cases_wanted() / 10, 1);
        options.trials.injection = Injection{fault.fault, 0.2, 1};
        const StressOutcome outcome = stress_catalogue(options);
        EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
    }
}

}  // namespace
}  // namespace kport
