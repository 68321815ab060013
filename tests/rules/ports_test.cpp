/// @file ports_test.cpp   Ports (model.md section 1): more sends or receives in a round than a node has ports, each
///                        broken by the smallest schedule that breaks the rule and kept by the nearest lawful one, with
///                        the report of the violation.
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::breaches;
using test::expect_place;
using test::half_duplex;
using test::judged;
using test::machine;
using test::Steps;
using test::the;
using test::wormhole;
using testing::ElementsAre;
using testing::IsEmpty;

// ------------------------------------------------------------------------------------------------------------- sending

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

TEST(PortRule, CountsSendsByTheLimitOfSends) {
    const Steps two_rounds = {{1, 0, 1}, {2, 0, 2}, {2, 1, 3}};
    for (const bool paths : {false, true}) {
        const auto limits = [&](Port sends, Port receives, const char* spec = "complete:3") {
            const Machine of_limits = machine(spec, PortLimit(sends, receives));
            return paths ? wormhole(of_limits) : of_limits;
        };
        EXPECT_THAT(breaches(limits(2, 1), two_sends_in_a_round), IsEmpty());
        EXPECT_THAT(breaches(limits(no_port, 1), two_sends_in_a_round), IsEmpty());
        EXPECT_THAT(breaches(limits(1, 2, "complete:4"), two_rounds), IsEmpty());
        EXPECT_THAT(
            breaches(limits(1, no_port), two_sends_in_a_round),
            ElementsAre("ports broken: node 0 starts more than 1 send in round 1: the extra send goes to node 2 "
                        "by port 1"));
        const Violation v =
            the(Breach::sends_exceed_ports, limits(2, 3, "complete:4"), {{1, 0, 1}, {1, 0, 2}, {1, 0, 3}});
        expect_place(v, Rule::ports, 1, 0, 2, 3);
        EXPECT_EQ(v.limit, 2U);
    }
}

TEST(PortRule, CountsReceivesByTheLimitOfReceives) {
    const Steps steps = {{1, 0, 1}, {2, 0, 2}, {2, 1, 2}};
    for (const bool paths : {false, true}) {
        const auto limits = [&](Port sends, Port receives) {
            const Machine of_limits = machine("complete:3", PortLimit(sends, receives));
            return paths ? wormhole(of_limits) : of_limits;
        };
        const Violation v = the(Breach::receives_exceed_ports, limits(2, 1), steps);
        expect_place(v, Rule::ports, 2, 2, 1, 1);
        EXPECT_EQ(v.limit, 1U);
        EXPECT_TRUE(judged(limits(1, 2), Operation::broadcast, steps).kept(Rule::ports));
        EXPECT_FALSE(judged(limits(no_port, 1), Operation::broadcast, steps).kept(Rule::ports));
    }
}

TEST(PortRule, CountsByTheLimitsOfTheNode) {
    Machine star = machine("star:4");
    const auto limits = [&](PortLimit hub) {
        star.node_ports =
            std::make_shared<const NodePorts>(NodePorts{"ports", {hub, PortLimit(1), PortLimit(1), PortLimit(1)}});
        return star;
    };
    const Steps out = {{1, 0, 1}, {1, 0, 2}, {1, 0, 3}};
    EXPECT_THAT(breaches(limits(PortLimit(3, 1)), out), IsEmpty());
    EXPECT_THAT(
        breaches(limits(PortLimit(2, 3)), out),
        ElementsAre("ports broken: node 0 starts more than 2 sends in round 1: the extra send goes to node 3 by "
                    "port 2"));
    const Steps in = {{1, 1, 0}, {1, 2, 0}, {1, 3, 0}};
    EXPECT_TRUE(judged(limits(PortLimit(1, 3)), Operation::gather, in).kept(Rule::ports));
    EXPECT_FALSE(judged(limits(PortLimit(3, 2)), Operation::gather, in).kept(Rule::ports));
}

TEST(PortRule, AllowsNoSendOfANodeWithoutSends) {
    EXPECT_THAT(
        breaches(machine("line:2", PortLimit(0, 1)), {{1, 0, 1}}),
        ElementsAre("ports broken: node 0 starts more than 0 sends in round 1: the extra send goes to node 1 by "
                    "port 1"));
    EXPECT_THAT(breaches(machine("line:2", PortLimit(1, 0)), {{1, 0, 1}}),
                ElementsAre("ports broken: node 1 receives more than 0 messages in round 1: the extra message comes "
                            "from node 0 by port 0"));
}

// ----------------------------------------------------------------------------------------------------------- receiving

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
    const Verdict verdict = judged(machine("line:3"), Operation::broadcast, {{1, 0, 1}, {2, 0, 1}, {2, 1, 2}});
    EXPECT_TRUE(verdict.kept(Rule::ports));
}

// --------------------------------------------------------------------------------------------------------- half duplex

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
    const Verdict verdict = judged(half, Operation::broadcast, send_while_receiving);
    EXPECT_TRUE(verdict.kept(Rule::ports));
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

}  // namespace
}  // namespace kport
