/// @file channels_test.cpp   Links and paths (model.md section 1): a channel used twice in a round, a link that is not
///                          there, a path that is not simple: broken by the smallest schedule, kept by the nearest lawful one.
#include <vector>

#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::breaches;
using test::expect_place;
using test::judged;
using test::machine;
using test::Steps;
using test::the;
using test::wormhole;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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
    const Verdict verdict = judged(machine("line:2", PortLimit::all()), Operation::broadcast, {{1, 0, 1}, {2, 0, 1}});
    EXPECT_TRUE(verdict.kept(Rule::channel));
}

TEST(ChannelRule, AcceptsBothDirectionsOfALinkInARound) {
    const Verdict verdict = judged(machine("line:2"), Operation::broadcast, {{1, 0, 1}, {2, 0, 1}, {2, 1, 0}});
    EXPECT_TRUE(verdict.kept(Rule::channel));
    EXPECT_TRUE(verdict.kept(Rule::ports));
}

TEST(ChannelRule, ReportsAChannelOnceARoundForAnyNumberOfUses) {
    const Verdict verdict =
        judged(machine("line:2", PortLimit::all()), Operation::broadcast, {{1, 0, 1}, {1, 0, 1}, {1, 0, 1}});
    the(Breach::channel_twice, verdict);
}

TEST(ChannelRule, SeesAChannelUsedTwiceAlsoInALaterRoundOfTheReceiver) {
    const Verdict verdict =
        judged(machine("line:3", PortLimit::all()), Operation::broadcast, {{1, 0, 1}, {2, 0, 1}, {2, 0, 1}, {3, 1, 2}});
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

}  // namespace
}  // namespace kport
