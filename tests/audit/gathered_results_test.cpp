/// @file gathered_results_test.cpp   The results that a node gathers, compared with sets; and what an auditor reports
///                                   of them.
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/audit/gathered_results.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

std::set<std::uint32_t> members_of(const Progression& some) {
    std::set<std::uint32_t> all;
    for (std::uint32_t i = 0; i < some.count; ++i) all.insert(some[i]);
    return all;
}

/// Messages of some residue class of 16 segments, so that they often are what came last, or all together.
RC_GTEST_PROP(GatheredResults, KnowWhatHasComeAndWhatIsSent, ()) {
    GatheredResults results(true);
    std::set<std::uint32_t> had;
    std::set<std::uint32_t> sent;
    const int messages = *rc::gen::inRange(0, 12);
    for (int message = 0; message < messages; ++message) {
        const std::uint32_t stride = 1U << *rc::gen::inRange(0, 5);
        const Progression segments{*rc::gen::inRange<std::uint32_t>(0, stride), stride, 16 / stride};
        const std::set<std::uint32_t> some = members_of(segments);
        const auto is_new = [&](std::uint32_t x) { return !had.contains(x); };
        const bool makes = had.empty() && *rc::gen::inRange(0, 2) == 0;
        if (makes) {
            results.add_sent(segments);
        } else if (*rc::gen::inRange(0, 2) == 0) {
            if (!results.receives(segments)) continue;
            RC_ASSERT(std::ranges::all_of(some, is_new));
        } else {
            if (!results.sends(segments)) continue;
            RC_ASSERT(std::ranges::none_of(some, is_new));
            sent.insert(some.begin(), some.end());
            RC_ASSERT(sent == had);
        }
        had.insert(some.begin(), some.end());
        if (makes) sent = had;
    }
    RC_ASSERT(results.none() == had.empty());
    RC_ASSERT(results.are_all(16) == (had.size() == 16));
    results.tell([&](const Progression& segments, bool are_sent) {
        for (const std::uint32_t x : members_of(segments)) {
            RC_ASSERT(had.erase(x) == 1);
            RC_ASSERT(sent.erase(x) == (are_sent ? 1 : 0));
        }
    });
    RC_ASSERT(had.empty() && sent.empty() && !results.are_here());
    RC_ASSERT(!results.receives({0}) && !results.sends({0}));
}

/// As node 5 of hypercube:3 gathers them: each time what comes doubles what there is.
TEST(GatheredResults, AreOneProgressionOnAHypercube) {
    GatheredResults results(true);
    results.add_sent({5});
    EXPECT_TRUE(results.receives({1}));
    EXPECT_TRUE(results.sends({1, 4, 2}));
    EXPECT_TRUE(results.receives({3, 4, 2}));
    EXPECT_TRUE(results.sends({1, 2, 4}));
    EXPECT_TRUE(results.receives({0, 2, 4}));
    EXPECT_TRUE(results.are_all(8));
}

/// Node 0 of complete:4 makes the results of two segments; node 1 gets one after the other, and sends on.
TEST(AnAuditOfGatheredResults, ReportsWhatComesAgainAndWhatComesBack) {
    const Machine complete = test::machine("complete:4", PortLimit::all());
    Collective collective{Operation::allreduce, 0, 8};
    collective.packets_each = 2;
    const auto contribution = [](std::uint32_t v) { return std::vector{PacketBlock{v, 1, 1, 0, 1, 2}}; };
    const auto results = [](std::uint32_t segment, std::uint32_t count) {
        return std::vector{PacketBlock{4, 1, 1, segment, 1, count}};
    };
    using Told = std::vector<std::pair<Breach, std::uint32_t>>;  // of node 1, and the segment
    const auto told = [&](std::vector<test::Step> last) {
        std::vector<test::Step> steps{{1, 1, 0, {}, contribution(1)}, {1, 2, 0, {}, contribution(2)},
                                      {1, 3, 0, {}, contribution(3)}, {2, 0, 1, {}, results(0, 1)},
                                      {3, 0, 1, {}, results(1, 1)},   {3, 1, 2, {}, results(0, 1)}};
        steps.insert(steps.end(), last.begin(), last.end());
        const Verdict verdict = audit(test::schedule(*complete.topology, steps), complete, collective, false);
        Told all;
        for (const Violation& found : verdict.violations)
            if (found.node == 1 && found.round != 0) all.emplace_back(found.breach, found.segment);
        std::ranges::sort(all);
        return all;
    };
    EXPECT_EQ(told({{4, 1, 3, {}, results(0, 2)}}), Told()) << "all";
    EXPECT_EQ(told({{4, 1, 3, {}, results(1, 1)}}), Told()) << "the last";
    EXPECT_EQ(told({{4, 1, 3, {}, results(0, 1)}}), Told()) << "another one";
    Told again_and_back{{Breach::received_again, 1}, {Breach::received_own, 1}};
    std::ranges::sort(again_and_back);
    EXPECT_EQ(told({{4, 1, 3, {}, results(0, 2)}, {5, 3, 1, {}, results(1, 1)}}), again_and_back);
    EXPECT_EQ(told({{4, 0, 1, {}, results(1, 1)}}), Told({{Breach::received_again, 1}})) << "it was not sent";
    EXPECT_EQ(told({{4, 1, 3, {}, results(0, 1)}, {5, 0, 1, {}, results(1, 1)}}), Told({{Breach::received_again, 1}}));
    EXPECT_EQ(told({{4, 1, 3, {}, contribution(1)}, {5, 1, 3, {}, results(0, 2)}}), Told())
        << "contributions have books of their own";
}

}  // namespace
}  // namespace kport
