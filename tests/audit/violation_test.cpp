/// @file violation_test.cpp   The list of violations: the first hundred in order, and the number of all.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/audit/breach_rows.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/base/error.hpp"

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

TEST(Violations, AreOrderedByCauseBeforeConsequence) {
    const std::vector<Violation> in_order = {
        violation(5, 3, Breach::received_again), violation(5, 9, Breach::waits_for_ever),
        violation(5, 4, Breach::never_received), violation(5, 7, Breach::result_lacks),
        violation(5, 0, Breach::result_differs), violation(5, 1, Breach::payload_differs)};
    EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
}

TEST(Violations, EveryBreachHasARuleAStoryAndASentence) {
    const auto line = make_topology("line:4");
    for (std::size_t b = 0; b < breach_count(); ++b) {
        Violation v = violation(2, 1, static_cast<Breach>(b));
        v.other = 2;
        v.earlier_other = 3;
        v.port = 1;
        v.limit = 1;
        EXPECT_FALSE(name(v.rule()).empty());
        const std::vector<std::string> lines = story(v, *line);
        ASSERT_FALSE(lines.empty());
        const std::string headline =
            v.rule() == Rule::broken ? std::string("broken: ") : std::string(name(v.rule())) + " broken: ";
        std::string lower = lines.front().substr(0, headline.size());
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        EXPECT_EQ(lower, headline);
        EXPECT_EQ(sentence(v, *line).find('\n'), std::string::npos);
        EXPECT_EQ(sentence(v, *line).find("    "), std::string::npos);
    }
}

/// A violation of the breach for every way in which the fields that tellings ask for may be set.
std::vector<Violation> variants(Breach breach) {
    std::vector<Violation> all;
    for (const NodeId other : {no_node, NodeId{2}, NodeId{99}})
        for (const NodeId earlier_other : {no_node, NodeId{3}})
            for (const Port port : {no_port, Port{1}, Port{7}})
                for (const Round earlier : {0U, 1U})
                    for (const std::uint64_t limit : {0U, 1U, 2U}) {
                        Violation v = violation(2, 1, breach);
                        v.other = other;
                        v.earlier_other = earlier_other;
                        v.port = port;
                        v.earlier = earlier;
                        v.limit = limit;
                        all.push_back(v);
                        v.segment = 0;
                        all.push_back(v);
                    }
    return all;
}

TEST(Violations, AreReportedInEveryWayOfTheTable) {
    const auto line = make_topology("line:4");
    for (const BreachRow& row : breach_rows()) {
        std::set<const Telling*> told;
        for (const Violation& v : variants(row.breach))
            told.insert(&*std::ranges::find_if(row.tellings,
                                               [&](const Telling& t) { return t.of == nullptr || t.of(v, *line); }));
        for (const Telling& telling : row.tellings) {
            EXPECT_EQ(told.contains(&telling), !telling.lines[0].empty()) << row.tellings[0].lines[0];
            if (telling.of == nullptr) break;  // fits all others
        }
    }
}

TEST(Violations, CountPortsInTheRightNumber) {
    const auto line = make_topology("line:4");
    const auto headline = [&](Breach breach, std::uint64_t limit) {
        Violation v = violation(2, 1, breach);
        v.other = 2;
        v.limit = limit;
        return story(v, *line).front();
    };
    EXPECT_EQ(headline(Breach::sends_exceed_ports, 1), "ports broken: node 1 starts more than 1 send in round 2");
    EXPECT_EQ(headline(Breach::sends_exceed_ports, 2), "ports broken: node 1 starts more than 2 sends in round 2");
    EXPECT_EQ(headline(Breach::receives_exceed_ports, 2),
              "ports broken: node 1 receives more than 2 messages in round 2");
    EXPECT_EQ(headline(Breach::both_exceed_ports, 1),
              "ports broken: node 1 uses more than 1 half duplex port in round 2");
    EXPECT_EQ(headline(Breach::would_wait_send, 3),
              "strict broken: node 1 declares more sends for round 2 than its 3 ports can start");
    EXPECT_EQ(headline(Breach::silent_round, 1), "rounds broken: no transfer in round 2");
    EXPECT_EQ(headline(Breach::silent_round, 3), "rounds broken: no transfer in rounds 2 to 4");
}

/// Segments are counted from 0, as in files and pictures (docs/schedules.md); packet N is a result.
TEST(Violations, NameContributionsAndResultsOfSegmentsAsFilesDo) {
    const auto line = make_topology("line:4");
    Violation v = violation(2, 1, Breach::sent_unheld);
    v.packet = 3;
    const auto headline = [&] { return story(v, *line).front(); };
    EXPECT_EQ(headline(), "delivery broken: node 1 sends packet 3 in round 2 and does not hold it");
    v.segment = 0;
    EXPECT_EQ(headline(), "delivery broken: node 1 sends contribution 3 of segment 0 in round 2 and does not hold it");
    v.packet = 4;
    EXPECT_EQ(headline(), "delivery broken: node 1 sends the result of segment 0 in round 2 and does not hold it");
    v.breach = Breach::beside_result;
    EXPECT_EQ(headline(), "delivery broken: node 1 sends the result of segment 0 with others in round 2");
}

TEST(Violations, OmitAnUnknownPort) {
    const auto line = make_topology("line:4");
    Violation waits = violation(2, 1, Breach::waits_for_ever);
    const std::string begins = "delivery broken: node 1 waits for ever for a message";
    EXPECT_EQ(sentence(waits, *line), begins + " by any port");
    waits.other = 2;
    EXPECT_EQ(sentence(waits, *line), begins + " from node 2");
    waits.port = 0;
    EXPECT_EQ(sentence(waits, *line), begins + " by port 0 from node 2");
    waits.other = no_node;
    EXPECT_EQ(sentence(waits, *line), begins + " by port 0, which it does not have");
}

TEST(AViolation, HasNoOtherBreaches) {
    const auto line = make_topology("line:4");
    EXPECT_THROW((void)violation(1, 1, static_cast<Breach>(breach_count())).rule(), RequestError);
    EXPECT_THROW((void)story(violation(1, 1, static_cast<Breach>(99)), *line), RequestError);
}

TEST(ViolationLog, MergesTheCountsOfEveryRule) {
    ViolationLog one;
    ViolationLog two;
    for (std::size_t b = 0; b < breach_count(); ++b) {
        one.add(violation(1, 1, static_cast<Breach>(b)));
        two.merge(one);
    }
    for (std::size_t rule = 0; rule < rules; ++rule)
        EXPECT_GT(two.count(static_cast<Rule>(rule)), 0U) << name(static_cast<Rule>(rule));
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
    EXPECT_EQ(log.listed().front().breach, Breach::sent_unheld);  // a cause comes before what follows in its round
    EXPECT_EQ(log.listed()[1].node, 0U);
    EXPECT_EQ(log.listed().back().node, 98U);
}

RC_GTEST_PROP(ViolationLog, ListsTheFirstInOrderForAnyOrderOfAddingAndMerging, ()) {
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
