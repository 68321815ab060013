/// @file random_traffic_test.cpp   Random programs whose claims compete: lawful where claims wait, whatever the machine.
#include <set>

#include <gtest/gtest.h>

#include "app/stress/drawing.hpp"
#include "app/stress/random_traffic.hpp"
#include "app/stress/stress.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

const Operation operations[] = {Operation::broadcast, Operation::scatter, Operation::gather, Operation::allgather,
                                Operation::alltoall,  Operation::reduce,  Operation::barrier};

/// Calls visit(case) for so many cases of each operation.
template <class Visit>
void for_cases(int count, Visit&& visit) {
    const Subject traffic = random_traffic();
    Dice dice(5);
    for (const Operation& operation : operations)
        for (int n = 0; n < count;) {
            const Case c = draw_case(dice, operation, 16);
            if (traffic.misfit(c)) continue;
            ++n;
            visit(traffic, c);
        }
}

TEST(RandomTraffic, IsLawfulAndDeliversOnEveryMachineThatQueues) {
    for_cases(150, [](const Subject& traffic, Case c) {
        c.machine.policy = Policy::queue;
        const Verdict verdict = traffic.run(c, {}).verdict;
        ASSERT_TRUE(verdict.lawful() && verdict.delivered)
            << name(c.collective.operation) << " on " << c.topology().spec() << ", " << c.machine.describe()
            << ", seed " << c.seed << ": " << sentence(verdict.violations.front(), c.topology());
    });
}

TEST(RandomTraffic, CompetesForPortsAndForChannels) {
    std::set<std::pair<std::string_view, Breach>> waits;
    for_cases(150, [&](const Subject& traffic, Case c) {
        c.machine.policy = Policy::strict;
        for (const Violation& v : traffic.run(c, {}).verdict.violations) {
            EXPECT_EQ(v.rule(), Rule::strict);
            waits.emplace(name(c.collective.operation), v.breach);
        }
    });
    for (const Operation& operation : {Operation::gather, Operation::allgather, Operation::alltoall, Operation::reduce})
        for (const Breach breach : {Breach::would_wait_receive, Breach::would_wait_channel})
            EXPECT_TRUE(waits.contains({name(operation), breach})) << name(operation);
}

TEST(RandomGossip, BreaksWhatItIsToBreakAndNothingElse) {
    const Operation gossiped[] = {Operation::broadcast, Operation::alltoall, Operation::barrier};
    std::set<Rule> broken;
    std::set<Breach> breaches;
    Dice dice(6);
    for (int n = 0; n < 600; ++n) {
        Case c = draw_case(dice, dice.one_of(std::span<const Operation>(gossiped)), 9);
        c.machine.policy = Policy::queue;
        const Verdict verdict = random_gossip().run(c, {}).verdict;
        for (const Violation& v : verdict.violations) {
            broken.insert(v.rule());
            breaches.insert(v.breach);
        }
    }
    EXPECT_EQ(broken, (std::set<Rule>{Rule::nodup, Rule::noho, Rule::delivery}));
    for (const Breach breach : {Breach::waits_for_ever, Breach::sent_unheld, Breach::sent_passed, Breach::left_early})
        EXPECT_TRUE(breaches.contains(breach)) << static_cast<int>(breach);
}

TEST(RandomTraffic, LetsSeveralRoundsPassInWhichNothingMoves) {
    bool several = false;
    for_cases(150, [&](const Subject& traffic, Case c) {
        c.machine.policy = Policy::queue;
        Schedule schedule;
        RunOptions options;
        options.recorded_schedule = &schedule;
        (void)traffic.run(c, options);
        for (const Silence& silence : schedule.silences()) several |= silence.count > 1 && silence.first > 1;
    });
    EXPECT_TRUE(several);
}

TEST(RandomTraffic, KnowsWhetherAFreeRunDependsOnTheOrderOfArrival) {
    int depend = 0;
    int free = 0;
    for_cases(60, [&](const Subject& traffic, const Case& c) {
        RunOptions options;
        options.engine = EngineKind::free;
        const RunResult result = traffic.run(c, options);
        const bool needs_order = result.needs_rounds == NeedsRounds::order;
        // In a fabric also two messages of a round from one host may come in any order.
        if (c.topology().fabric() != nullptr && needs_order) return;
        ASSERT_EQ(needs_order, traffic.depends_on_order(c))
            << name(c.collective.operation) << " on " << c.topology().spec() << ", seed " << c.seed;
        depend += result.needs_rounds == NeedsRounds::order ? 1 : 0;
        free += result.engine == EngineKind::free ? 1 : 0;
    });
    EXPECT_GT(depend, 50);
    EXPECT_GT(free, 50);
}

TEST(RandomTraffic, DeclaresSendsThatDoNotFitIntoARound) {
    bool overrun = false;
    for_cases(40, [&](const Subject& traffic, Case c) {
        c.machine.policy = Policy::strict;
        for (const Violation& v : traffic.run(c, {}).verdict.violations) overrun |= v.breach == Breach::would_wait_send;
    });
    EXPECT_TRUE(overrun);
}

TEST(RandomTraffic, HoldsUnderAllThatAStressAsks) {
    for (const Operation& operation : operations) {
        StressOptions options;
        options.seconds.reset();
        options.cases = test::under_sanitizer ? 8 : 60;
        options.nodes_max = 24;
        options.trials.threads_max = 2;
        for (const Subject& subject : random_subjects()) {
            if (subject.name == random_gossip_name && operation.folds()) continue;
            const StressOutcome outcome = stress({subject}, operation, options);
            EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
            EXPECT_EQ(outcome.coverage.cases, options.cases);
            EXPECT_GT(outcome.coverage.deals, options.cases);
            EXPECT_GT(outcome.coverage.retold, 0U);
        }
    }
}

}  // namespace
}  // namespace kport
