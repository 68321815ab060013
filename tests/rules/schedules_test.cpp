/// @file schedules_test.cpp   Every rule of model.md section 1: broken by the smallest schedule that breaks it, kept by
///                            the nearest lawful one, and the story that is told.
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::breaches;
using test::expect_place;
using test::half_duplex;
using test::machine;
using test::Step;
using test::the;
using test::wormhole;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Steps = std::vector<Step>;

// ----------------------------------------------------------------------------------------------------- ports: sending

const Steps two_sends_in_a_round = {{1, 0, 1}, {1, 0, 2}};

TEST(PortRule, CatchesTwoSendsByOnePortInARound) {
    const Machine one_port = machine("complete:3");
    EXPECT_THAT(breaches(one_port, two_sends_in_a_round),
                ElementsAre("ports broken: node 0 starts more than 1 send in round 1: the extra send goes to node 2 by "
                            "port 1"));
    const Violation v = the(Breach::sends_exceed_ports, one_port, two_sends_in_a_round);
    expect_place(v, Rule::ports, 1, 0, 1, 2);
    EXPECT_EQ(v.limit, 1U);
}

TEST(PortRule, AcceptsTwoSendsByTwoPortsInARound) {
    EXPECT_THAT(breaches(machine("complete:3", PortLimit(2)), two_sends_in_a_round), IsEmpty());
    EXPECT_THAT(breaches(machine("complete:3", PortLimit::all()), two_sends_in_a_round), IsEmpty());
}

TEST(PortRule, AcceptsTwoSendsByOnePortInTwoRounds) {
    EXPECT_THAT(breaches(machine("complete:3"), {{1, 0, 1}, {2, 0, 2}}), IsEmpty());
}

TEST(PortRule, CountsSendsUpToKBetweenOneAndAll) {
    const Steps three = {{1, 0, 1}, {1, 0, 2}, {1, 0, 3}};
    EXPECT_THAT(
        breaches(machine("complete:4", PortLimit(2)), three),
        ElementsAre("ports broken: node 0 starts more than 2 sends in round 1: the extra send goes to node 3 by "
                    "port 2"));
    EXPECT_THAT(breaches(machine("complete:4", PortLimit(3)), three), IsEmpty());
}

TEST(PortRule, ReportsEverySendTooMany) {
    EXPECT_THAT(breaches(machine("complete:4"), {{1, 0, 1}, {1, 0, 2}, {1, 0, 3}}), testing::SizeIs(2));
}

TEST(PortRule, CountsWormholeSendsTheSame) {
    const Machine line = wormhole(machine("line:5"));
    EXPECT_THAT(breaches(line, {{1, 0, 2}, {2, 2, 1}, {2, 2, 3}, {3, 3, 4}}),
                ElementsAre("ports broken: node 2 starts more than 1 send in round 2: the extra send goes to node 3 by "
                            "port 1"));
    EXPECT_THAT(breaches(line, {{1, 0, 2}, {2, 0, 1}, {2, 2, 3}, {3, 3, 4}}), IsEmpty());
}

// ---------------------------------------------------------------------------------------------------- ports: receiving

TEST(PortRule, CatchesTwoReceivesByOnePortInARound) {
    // With a single packet the second receipt breaks NODUP as well.
    const Machine one_port = machine("complete:3");
    const Steps steps = {{1, 0, 1}, {2, 0, 2}, {2, 1, 2}};
    EXPECT_THAT(
        breaches(one_port, steps),
        ElementsAre("ports broken: node 2 receives more than 1 message in round 2: the extra message comes from "
                    "node 1 by port 1",
                    "NODUP broken: node 2 receives packet 0 again: round 2 from node 0 first, round 2 from node 1 "
                    "by port 1 again"));
    const Violation v = the(Breach::receives_exceed_ports, one_port, steps);
    expect_place(v, Rule::ports, 2, 2, 1, 1);
    EXPECT_EQ(v.limit, 1U);
}

TEST(PortRule, AcceptsTwoReceivesByTwoPorts) {
    EXPECT_THAT(
        breaches(machine("complete:3", PortLimit(2)), {{1, 0, 1}, {2, 0, 2}, {2, 1, 2}}),
        ElementsAre("NODUP broken: node 2 receives packet 0 again: round 2 from node 0 first, round 2 from node 1 "
                    "by port 1 again"));
}

TEST(PortRule, CountsReceivesUpToKBetweenOneAndAll) {
    // Three messages for node 4 in round 3 are one more than two ports take.
    const Machine two_ports = machine("complete:5", PortLimit(2));
    const Steps steps = {{1, 0, 1}, {1, 0, 2}, {2, 0, 3}, {3, 1, 4}, {3, 2, 4}, {3, 3, 4}};
    const Violation v = the(Breach::receives_exceed_ports, two_ports, steps);
    expect_place(v, Rule::ports, 3, 4, 3, 3);
    EXPECT_EQ(v.limit, 2U);
}

TEST(PortRule, NamesTheReceiversPortAtTheEndOfALongPath) {
    const Machine ring = wormhole(machine("ring:5"));
    // Node 2 receives over two links from either side.
    const Steps steps = {{1, 0, 4}, {2, 0, 2}, {2, 4, 2}, {3, 0, 1}, {3, 4, 3}};
    const Violation v = the(Breach::receives_exceed_ports, ring, steps);
    expect_place(v, Rule::ports, 2, 2, 1, 4);  // from 4 over 3 by the port that leads to 3
}

TEST(PortRule, AcceptsASendAndAReceiveInARoundOfFullDuplexPorts) {
    EXPECT_THAT(breaches(machine("line:2"), {{1, 0, 1}}), IsEmpty());
    // Node 1 receives again while it sends: unlawful for other reasons, but not by its ports.
    const Verdict verdict = audit(test::schedule(*make_topology("line:3"), {{1, 0, 1}, {2, 0, 1}, {2, 1, 2}}),
                                  machine("line:3"), {0, 8}, false);
    EXPECT_TRUE(verdict.ports);
}

// -------------------------------------------------------------------------------------------------- ports: half duplex

const Steps send_while_receiving = {{1, 0, 1}, {2, 0, 1}, {2, 1, 2}};

TEST(HalfDuplexRule, CatchesASendAndAReceiveByOnePortInARound) {
    const Machine half = half_duplex(machine("line:3"));
    const Violation v = the(Breach::both_exceed_ports, half, send_while_receiving);
    expect_place(v, Rule::ports, 2, 1, 0, 0);
    EXPECT_EQ(v.limit, 1U);
    EXPECT_EQ(
        sentence(v, *half.topology),
        "ports broken: node 1 uses more than 1 half duplex port in round 2: the extra use is with node 0 by port 0");
}

TEST(HalfDuplexRule, AcceptsASendAndAReceiveByTwoPorts) {
    const Machine half = half_duplex(machine("line:3", PortLimit(2)));
    const Verdict verdict = audit(test::schedule(*half.topology, send_while_receiving), half, {0, 8}, false);
    EXPECT_TRUE(verdict.ports);
}

TEST(HalfDuplexRule, AcceptsReceivingInOneRoundAndSendingInTheNext) {
    EXPECT_THAT(breaches(half_duplex(machine("line:3")), {{1, 0, 1}, {2, 1, 2}}), IsEmpty());
}

TEST(HalfDuplexRule, AllPortsMeanAsManyUsesAsANodeHasLinks) {
    // A node of the ring has two links: a send and a receive are two uses, two sends and a receive are three.
    const Steps steps = {{1, 0, 1}, {2, 0, 1}, {2, 1, 0}, {2, 1, 2}};
    const Machine half = half_duplex(machine("ring:4", PortLimit::all()));
    const Violation v = the(Breach::both_exceed_ports, half, steps);
    EXPECT_EQ(v.node, 1U);
    EXPECT_EQ(v.limit, 2U);
}

TEST(HalfDuplexRule, CountsSendsAloneAndReceivesAloneAsSuch) {
    const Machine half = half_duplex(machine("complete:3"));
    EXPECT_THAT(breaches(half, two_sends_in_a_round), testing::SizeIs(1));
    EXPECT_EQ(the(Breach::sends_exceed_ports, half, two_sends_in_a_round).node, 0U);
    const Steps two_receives = {{1, 0, 1}, {2, 0, 2}, {2, 1, 2}};
    EXPECT_EQ(the(Breach::receives_exceed_ports, half, two_receives).node, 2U);
}

// ------------------------------------------------------------------------------------------------------------- channels

TEST(ChannelRule, CatchesAChannelUsedTwiceInARoundBySingleLinks) {
    const Machine all_ports = machine("line:2", PortLimit::all());
    const Steps steps = {{1, 0, 1}, {1, 0, 1}};
    EXPECT_THAT(
        breaches(all_ports, steps),
        ElementsAre("ports broken: node 0 starts more than 1 send in round 1: the extra send goes to node 1 by port 1",
                    "channel broken: the channel of node 0 by port 1 lies on two paths of round 1: the message from "
                    "node 0 uses it, and the message from node 0 uses it again",
                    "ports broken: node 1 receives more than 1 message in round 1: the extra message comes from "
                    "node 0 by port 0",
                    "NODUP broken: node 1 receives packet 0 again: round 1 from node 0 first, round 1 from node 0 "
                    "by port 0 again"));
    const Violation v = the(Breach::channel_twice, all_ports, steps);
    EXPECT_EQ(v.rule(), Rule::channel);
    EXPECT_EQ(v.node, 0U);
    EXPECT_EQ(v.port, 1U);
    EXPECT_EQ(v.earlier_other, 0U);
    EXPECT_EQ(v.other, 0U);
}

TEST(ChannelRule, AcceptsAChannelUsedInTwoRounds) {
    const Verdict verdict = audit(test::schedule(*make_topology("line:2"), {{1, 0, 1}, {2, 0, 1}}),
                                  machine("line:2", PortLimit::all()), {0, 8}, false);
    EXPECT_TRUE(verdict.channels);
}

TEST(ChannelRule, AcceptsBothDirectionsOfALinkInARound) {
    const Verdict verdict = audit(test::schedule(*make_topology("line:2"), {{1, 0, 1}, {2, 0, 1}, {2, 1, 0}}),
                                  machine("line:2"), {0, 8}, false);
    EXPECT_TRUE(verdict.channels);
    EXPECT_TRUE(verdict.ports);
}

TEST(ChannelRule, ReportsAChannelOnceARoundForAnyNumberOfUses) {
    const Verdict verdict = audit(test::schedule(*make_topology("line:2"), {{1, 0, 1}, {1, 0, 1}, {1, 0, 1}}),
                                  machine("line:2", PortLimit::all()), {0, 8}, false);
    the(Breach::channel_twice, verdict);
}

TEST(ChannelRule, SeesAChannelUsedTwiceAlsoInALaterRoundOfTheReceiver) {
    const Verdict verdict =
        audit(test::schedule(*make_topology("line:3"), {{1, 0, 1}, {2, 0, 1}, {2, 0, 1}, {3, 1, 2}}),
              machine("line:3", PortLimit::all()), {0, 8}, false);
    const Violation v = the(Breach::channel_twice, verdict);
    EXPECT_EQ(v.round, 2U);
    EXPECT_EQ(v.node, 0U);
}

TEST(ChannelRule, CatchesTwoWormholePathsOverOneChannel) {
    const Machine line = wormhole(machine("line:4"));
    const Steps steps = {{1, 0, 1}, {2, 0, 3}, {2, 1, 2}};
    EXPECT_THAT(
        breaches(line, steps),
        ElementsAre("channel broken: the channel of node 1 by port 1 lies on two paths of round 2: the message from "
                    "node 0 uses it, and the message from node 1 uses it again"));
    const Violation v = the(Breach::channel_twice, line, steps);
    expect_place(v, Rule::channel, 2, 1, 1, 1);
    EXPECT_EQ(v.earlier_other, 0U);
}

TEST(ChannelRule, AcceptsTwoWormholePathsThatMeetInANodeOrInOppositeChannels) {
    EXPECT_THAT(breaches(wormhole(machine("line:4")), {{1, 0, 3}, {2, 0, 2}, {2, 3, 1}}), IsEmpty());
    EXPECT_THAT(breaches(wormhole(machine("line:5")), {{1, 0, 2}, {2, 0, 1}, {2, 2, 4}, {3, 4, 3}}), IsEmpty());
}

TEST(ChannelRule, KeepsTheManyChannelsOfACompleteGraphApart) {
    const Machine complete = wormhole(machine("complete:70", PortLimit::all()));
    Steps all;
    for (NodeId v = 1; v < 70; ++v) all.push_back({1, 0, v});
    EXPECT_THAT(breaches(complete, all), IsEmpty());
    all.push_back({1, 0, 69});
    EXPECT_THAT(breaches(complete, all),
                UnorderedElementsAre(HasSubstr("node 0 starts more than 69 sends in round 1"),
                                     HasSubstr("the channel of node 0 by port 68 lies on two paths of round 1"),
                                     HasSubstr("NODUP broken: node 69")));
}

TEST(ChannelRule, CatchesALinkThatIsNotThere) {
    const Machine line = machine("line:3");
    const Steps steps = {{1, 0, 2, {1}}, {2, 0, 1}};
    EXPECT_THAT(breaches(line, steps),
                ElementsAre("channel broken: node 0 has no link by port 1 to node 2: yet a transfer "
                            "of round 1 claims to use it"));
    expect_place(the(Breach::no_such_link, line, steps), Rule::channel, 1, 0, 1, 2);
    // A port that nodes have, but not the one at the border; a node that is no neighbour of itself.
    EXPECT_THAT(breaches(line, {{1, 0, 1, {0}}, {2, 1, 2}}), testing::SizeIs(1));
    EXPECT_EQ(the(Breach::no_such_link, line, {{1, 0, 0, {1}}, {2, 0, 1}, {3, 1, 2}}).node, 0U);
}

TEST(ChannelRule, CatchesAWormholePathThatEndsElsewhere) {
    const Machine line = wormhole(machine("line:4"));
    const std::vector<std::vector<Port>> wrong = {{1}, {0}, {1, 1, 1, 1}, {1, 1}, {1, 1, 0}};
    for (const std::vector<Port>& route : wrong) {
        const Steps steps = {{1, 0, 3, route}, {2, 0, 2}, {3, 2, 1}};
        EXPECT_THAT(breaches(line, steps), testing::SizeIs(1)) << fmt::format("{}", fmt::join(route, ","));
        expect_place(the(Breach::no_such_link, line, steps), Rule::channel, 1, 0, route.front(), 3);
    }
}

TEST(ChannelRule, NamesNoPortOfTheReceiverWhereAPathLeadsNowhere) {
    // Node 0 of the line has no port 0; what would come after it is no way to anywhere.
    const Machine line = wormhole(machine("line:5"));
    EXPECT_EQ(the(Breach::received_own, line, {{1, 0, 1}, {2, 0, 0, {0, 1}}}).port, no_port);
    EXPECT_EQ(the(Breach::received_own, line, {{1, 0, 1}, {2, 1, 0, {0}}}).port, 1U);
}

TEST(ChannelRule, CatchesAMessageThatJumpsALinkInStoreAndForward) {
    const Machine line = machine("line:3");
    const Steps steps = {{1, 0, 2}, {2, 2, 1}};
    EXPECT_THAT(breaches(line, steps), ElementsAre("channel broken: node 0 sends 2 links far in round 1: to node 2; a "
                                                   "store-and-forward message crosses one link a round"));
    const Violation v = the(Breach::jumped, line, steps);
    EXPECT_EQ(v.rule(), Rule::channel);
    EXPECT_EQ(v.other, 2U);
    EXPECT_EQ(v.limit, 2U);
    EXPECT_THAT(breaches(wormhole(line), steps), IsEmpty());
}

TEST(ChannelRule, DoesNotCountAJumpAsAUseOfTheChannelBetweenItsEnds) {
    const Machine ring = machine("ring:3", PortLimit::all());
    const auto said = [&](Round later) {
        return breaches(ring, {{1, 0, 1, {0, 0}}, {later, 0, 1, {1}}, {later + 1, 0, 2, {0}}});
    };
    for (const Round later : {1U, 2U})
        EXPECT_THAT(said(later), UnorderedElementsAre(HasSubstr("node 0 sends 2 links far in round 1"),
                                                      HasSubstr("NODUP broken: node 1 receives packet 0 again")));
}

TEST(ChannelRule, CatchesAPathThatVisitsANodeTwice) {
    const Machine square = wormhole(machine("mesh:2x2"));
    // 0 > 1 > 0 > 2, and a message to itself.
    const Steps detour = {{1, 0, 2, {3, 2, 1}}, {2, 0, 1}, {2, 2, 3}};
    EXPECT_THAT(breaches(square, detour),
                ElementsAre("channel broken: node 0 (0,0) sends to node 2 (1,0) in round 1 by a "
                            "path that visits a node twice: it leaves by port 3; a message takes "
                            "a simple path"));
    expect_place(the(Breach::path_visits_twice, square, detour), Rule::channel, 1, 0, 3, 2);
    EXPECT_EQ(the(Breach::path_visits_twice, square, {{1, 0, 0, {3, 2}}, {2, 0, 1}, {3, 0, 2}, {4, 2, 3}}).round, 1U);
}

TEST(ChannelRule, AcceptsALongWayRoundThatIsSimple) {
    EXPECT_THAT(breaches(wormhole(machine("mesh:2x2")), {{1, 0, 2, {3, 1, 2}}, {2, 0, 1}, {2, 2, 3}}), IsEmpty());
}

// ---------------------------------------------------------------------------------------------------------------- NODUP

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
    const Verdict verdict = audit(test::schedule(*make_topology("line:2"), {{1, 0, 1}, {2, 0, 1}, {3, 0, 1}}),
                                  machine("line:2"), {0, 8}, false);
    EXPECT_EQ(verdict.violation_count, 2U);
    EXPECT_FALSE(verdict.nodup);
    EXPECT_TRUE(verdict.delivered && verdict.noho && verdict.ports && verdict.channels && verdict.strict);
}

// ----------------------------------------------------------------------------------------------------------------- NOHO

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
    const Verdict twice = audit(test::schedule(*make_topology("line:3"), {{1, 0, 1}, {2, 0, 1}, {3, 1, 2}}),
                                machine("line:3"), {0, 8}, false);
    EXPECT_TRUE(twice.noho);
    EXPECT_FALSE(twice.nodup);
}

// ------------------------------------------------------------------------------------------------------------- delivery

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
        ElementsAre("NOHO broken: node 1 receives packet 0, which it sent itself: round 1 sent, round 1 from "
                    "node 0 by port 0 received",
                    "delivery broken: node 1 sends packet 0 in round 1 and does not hold it: it went to node 2 by "
                    "port 1; a packet can be sent from the round after its arrival"));
    EXPECT_THAT(breaches(line, {{1, 0, 1}, {2, 1, 2}}), IsEmpty());
}

TEST(Delivery, CatchesANodeThatNeverReceives) {
    const Machine line = machine("line:2");
    EXPECT_THAT(breaches(line, {}), ElementsAre("delivery broken: node 1 never receives packet 0"));
    const Verdict verdict = audit({}, line, {0, 8}, false);
    EXPECT_EQ(verdict.holders, 1U);
    EXPECT_FALSE(verdict.delivered);
    const Violation v = the(Breach::never_received, verdict);
    EXPECT_EQ(v.rule(), Rule::delivery);
    EXPECT_EQ(v.node, 1U);
}

TEST(Delivery, NeedsNothingOnAMachineOfOneNode) {
    const Verdict verdict = audit({}, machine("line:1"), {0, 8}, false);
    EXPECT_TRUE(verdict.delivered && verdict.lawful());
    EXPECT_EQ(verdict.holders, 1U);
    EXPECT_EQ(verdict.metrics.rounds, 0U);
}

// --------------------------------------------------------------------------------------------------------------- rounds

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
