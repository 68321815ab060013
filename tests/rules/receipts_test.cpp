/// @file receipts_test.cpp   NODUP, NOHO, delivery and rounds (model.md section 1): each broken by the smallest
///                           schedule that breaks it and kept by the nearest lawful one, with the report of the
///                           violation.
#include <string>
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::breaches;
using test::expect_place;
using test::judged;
using test::machine;
using test::Steps;
using test::the;
using testing::ElementsAre;
using testing::IsEmpty;

// --------------------------------------------------------------------------------------------------------------- NODUP

TEST(Nodup, CatchesASecondReceipt) {
    const Machine ring = machine("ring:4");
    const Steps steps = {{1, 0, 1}, {2, 0, 3}, {2, 1, 2}, {3, 3, 2}};
    EXPECT_THAT(breaches(ring, steps), ElementsAre("NODUP broken: node 2 receives packet 0 again: round 2 from node 1 "
                                                   "first, round 3 from node 3 by port 1 again"));
    const Violation v = the(Breach::received_again, ring, steps);
    expect_place(v, Rule::nodup, 3, 2, 1, 3);
    EXPECT_EQ(v.earlier, 2U);
    EXPECT_EQ(v.earlier_other, 1U);
}

TEST(Nodup, IsReportedInThreeLines) {
    const Machine ring = machine("ring:4");
    const Violation v = the(Breach::received_again, ring, {{1, 0, 1}, {2, 0, 3}, {2, 1, 2}, {3, 3, 2}});
    EXPECT_THAT(story(v, *ring.topology),
                ElementsAre("NODUP broken: node 2 receives packet 0 again", "round 2 from node 1    first",
                            "round 3 from node 3 by port 1    again"));
}

TEST(Nodup, AcceptsOneReceipt) {
    EXPECT_THAT(breaches(machine("ring:4"), {{1, 0, 1}, {2, 0, 3}, {2, 1, 2}}), IsEmpty());
}

TEST(Nodup, NamesTheLowestSenderOfTheFirstRoundAsTheFirst) {
    // Whatever the order in which the transfers stand.
    const Machine complete = machine("complete:4", PortLimit::all());
    const std::string told =
        "NODUP broken: node 3 receives packet 0 again: round 2 from node 1 first, round 2 from node 2 "
        "by port 2 again";
    EXPECT_THAT(breaches(complete, {{1, 0, 1}, {1, 0, 2}, {2, 1, 3}, {2, 2, 3}}), ElementsAre(told));
    EXPECT_THAT(breaches(complete, {{1, 0, 2}, {1, 0, 1}, {2, 2, 3}, {2, 1, 3}}), ElementsAre(told));
}

TEST(Nodup, CountsEveryFurtherReceipt) {
    const Verdict verdict = judged(machine("line:2"), Operation::broadcast, {{1, 0, 1}, {2, 0, 1}, {3, 0, 1}});
    EXPECT_EQ(verdict.violation_count, 2U);
    EXPECT_FALSE(verdict.kept(Rule::nodup));
    EXPECT_TRUE(verdict.delivered && verdict.kept(Rule::noho) && verdict.kept(Rule::ports) &&
                verdict.kept(Rule::channel) && verdict.kept(Rule::strict));
}

// ---------------------------------------------------------------------------------------------------------------- NOHO

TEST(Noho, CatchesASenderThatReceivesItsPacketBack) {
    const Machine line = machine("line:2");
    const Steps steps = {{1, 0, 1}, {2, 1, 0}};
    EXPECT_THAT(breaches(line, steps), ElementsAre("NOHO broken: node 0 receives packet 0, which it sent itself: round "
                                                   "1 sent, round 2 from node 1 by port 1 received"));
    const Violation v = the(Breach::received_own, line, steps);
    expect_place(v, Rule::noho, 2, 0, 1, 1);
    EXPECT_EQ(v.earlier, 1U);
}

TEST(Noho, IsWideASameRoundExchangeBreaksItForBoth) {
    const Machine complete = machine("complete:3");
    EXPECT_THAT(
        breaches(complete, {{1, 0, 1}, {2, 0, 2}, {3, 1, 2}, {3, 2, 1}}),
        ElementsAre("NODUP broken: node 1 receives packet 0 again: round 1 from node 0 first, round 3 from node 2 "
                    "by port 1 again",
                    "NOHO broken: node 1 receives packet 0, which it sent itself: round 3 sent, round 3 from "
                    "node 2 by port 1 received",
                    "NODUP broken: node 2 receives packet 0 again: round 2 from node 0 first, round 3 from node 1 "
                    "by port 1 again",
                    "NOHO broken: node 2 receives packet 0, which it sent itself: round 3 sent, round 3 from "
                    "node 1 by port 1 received"));
}

TEST(Noho, AcceptsReceivingBeforeSending) {
    EXPECT_THAT(breaches(machine("complete:3"), {{1, 0, 1}, {2, 1, 2}}), IsEmpty());
    const Verdict twice = judged(machine("line:3"), Operation::broadcast, {{1, 0, 1}, {2, 0, 1}, {3, 1, 2}});
    EXPECT_TRUE(twice.kept(Rule::noho));
    EXPECT_FALSE(twice.kept(Rule::nodup));
}

// ------------------------------------------------------------------------------------------------------------ delivery

TEST(Delivery, CatchesASendOfAPacketThatTheSenderNeverHeld) {
    const Machine line = machine("line:3");
    const Steps steps = {{1, 1, 2}};
    EXPECT_THAT(
        breaches(line, steps),
        ElementsAre("delivery broken: node 1 sends packet 0 in round 1 and does not hold it: it went to node 2 by "
                    "port 1; a packet can be sent from the round after its arrival",
                    "delivery broken: node 1 never receives packet 0"));
    expect_place(the(Breach::sent_unheld, line, steps), Rule::delivery, 1, 1, 1, 2);
}

TEST(Delivery, CatchesForwardingInTheRoundOfArrival) {
    const Machine line = machine("line:3");
    EXPECT_THAT(
        breaches(line, {{1, 0, 1}, {1, 1, 2}}),
        ElementsAre("delivery broken: node 1 sends packet 0 in round 1 and does not hold it: it went to node 2 by "
                    "port 1; a packet can be sent from the round after its arrival",
                    "NOHO broken: node 1 receives packet 0, which it sent itself: round 1 sent, round 1 from "
                    "node 0 by port 0 received"));
    EXPECT_THAT(breaches(line, {{1, 0, 1}, {2, 1, 2}}), IsEmpty());
}

TEST(Delivery, CatchesANodeThatNeverReceives) {
    const Machine line = machine("line:2");
    EXPECT_THAT(breaches(line, {}), ElementsAre("delivery broken: node 1 never receives packet 0"));
    const Verdict verdict = judged(line, Operation::broadcast, {});
    EXPECT_EQ(verdict.holders, 1U);
    EXPECT_FALSE(verdict.delivered);
    const Violation v = the(Breach::never_received, verdict);
    EXPECT_EQ(v.rule(), Rule::delivery);
    EXPECT_EQ(v.node, 1U);
}

TEST(Delivery, NeedsNothingOnAMachineOfOneNode) {
    const Verdict verdict = judged(machine("line:1"), Operation::broadcast, {});
    EXPECT_TRUE(verdict.delivered && verdict.lawful());
    EXPECT_EQ(verdict.holders, 1U);
    EXPECT_EQ(verdict.metrics.rounds, 0U);
}

// -------------------------------------------------------------------------------------------------------------- rounds

TEST(RoundRule, CatchesARoundWithoutATransfer) {
    const Machine line = machine("line:3");
    EXPECT_THAT(breaches(line, {{1, 0, 1}, {3, 1, 2}}),
                ElementsAre("rounds broken: no transfer in round 2: something moves in every round, unless a program "
                            "waits on purpose (next_round)"));
    EXPECT_THAT(breaches(line, {{2, 0, 1}, {3, 1, 2}}),
                ElementsAre("rounds broken: no transfer in round 1: something moves in every round, unless a program "
                            "waits on purpose (next_round)"));
    const Violation v = the(Breach::silent_round, line, {{1, 0, 1}, {5, 1, 2}});
    EXPECT_EQ(v.rule(), Rule::rounds);
    EXPECT_EQ(name(v.rule()), "rounds");
    EXPECT_EQ(v.round, 2U);
    EXPECT_EQ(v.limit, 3U);
    EXPECT_EQ(sentence(v, *line.topology),
              "rounds broken: no transfer in rounds 2 to 4: something moves in every round, unless a program waits on "
              "purpose (next_round)");
}

TEST(RoundRule, AcceptsATransferInEveryRound) {
    EXPECT_THAT(breaches(machine("line:3"), {{1, 0, 1}, {2, 1, 2}}), IsEmpty());
}

}  // namespace
}  // namespace kport
