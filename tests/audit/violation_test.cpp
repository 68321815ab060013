/// @file violation_test.cpp   The list of violations: the first hundred in order, and the number of all.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/audit/violation.hpp"

namespace kport {
namespace {

Violation violation(Round round, NodeId node, Breach breach = Breach::received_again) {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    return v;
}

std::vector<std::pair<Round, NodeId>> places(const std::vector<Violation>& violations) {
    std::vector<std::pair<Round, NodeId>> list;
    for (const Violation& v : violations) list.emplace_back(v.round, v.node);
    return list;
}

TEST(Violations, AreOrderedByRoundThenNodeThenBreach) {
    EXPECT_LT(violation(1, 9), violation(2, 0));
    EXPECT_LT(violation(1, 0), violation(1, 1));
    EXPECT_LT(violation(1, 1, Breach::sends_exceed_ports), violation(1, 1, Breach::received_again));
}

TEST(Violations, EveryBreachHasARuleAStoryAndASentence) {
    const auto line = make_topology("line:4");
    for (int b = 0; b <= static_cast<int>(Breach::silent_round); ++b) {
        Violation v = violation(2, 1, static_cast<Breach>(b));
        v.other = 2;
        v.earlier_other = 3;
        v.port = 1;
        v.limit = 1;
        EXPECT_FALSE(name(v.rule()).empty());
        const std::vector<std::string> lines = story(v, *line);
        ASSERT_FALSE(lines.empty());
        const std::string headline = std::string(name(v.rule())) + " broken: ";
        std::string lower = lines.front().substr(0, headline.size());
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        EXPECT_EQ(lower, headline);
        EXPECT_EQ(sentence(v, *line).find('\n'), std::string::npos);
        EXPECT_EQ(sentence(v, *line).find("    "), std::string::npos);
    }
}

TEST(ViolationLog, CountsAllAndListsAHundred) {
    ViolationLog log;
    for (NodeId v = 250; v-- > 0;) log.add(violation(1, v));
    log.add(violation(1, 7, Breach::sent_unheld));
    EXPECT_EQ(log.count(), 251U);
    EXPECT_EQ(log.count(Rule::nodup), 250U);
    EXPECT_EQ(log.count(Rule::delivery), 1U);
    EXPECT_EQ(log.count(Rule::rounds), 0U);
    ASSERT_EQ(log.listed().size(), ViolationLog::listed_max);
    EXPECT_EQ(log.listed().front().node, 0U);
    EXPECT_EQ(log.listed().back().node, 98U);  // node 7 is there twice
}

RC_GTEST_PROP(ViolationLog, ListsTheFirstInOrderHoweverTheyCameAndWereMerged, ()) {
    const auto rounds = *rc::gen::container<std::vector<Round>>(static_cast<std::size_t>(*rc::gen::inRange(0, 400)),
                                                                rc::gen::inRange<Round>(1, 50));
    std::vector<Violation> all;
    ViolationLog logs[3];
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        all.push_back(violation(rounds[i], i));
        logs[*rc::gen::inRange(0, 3)].add(all.back());
    }
    ViolationLog log;
    for (const ViolationLog& part : logs) log.merge(part);
    std::sort(all.begin(), all.end());
    if (all.size() > ViolationLog::listed_max) all.resize(ViolationLog::listed_max);
    RC_ASSERT(places(log.listed()) == places(all));
    RC_ASSERT(log.count() == rounds.size());
}

}  // namespace
}  // namespace kport
