/// @file programs_test.cpp   Node programs that break rules, run by the lockstep engine: the report names each.
#include <array>
#include <utility>
#include <vector>

#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::half_duplex;
using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::Outcome;
using test::rightwards;
using test::run;
using test::sentences;
using test::strict;
using test::the;
using test::wormhole;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ------------------------------------------------------------------------------------------------------ waits for ever

Program source_sends_once_others_receive_twice(Node& self) {
    if (self.id() == 0) {
        co_await self.send(rightwards, Packet(0));
    } else {
        co_await self.receive();
        co_await self.receive();
    }
}

TEST(WaitsForEver, ByAnyPortNamesTheNode) {
    const Machine line = machine("line:2");
    const Outcome outcome = run(job(line, source_sends_once_others_receive_twice, {0}));
    EXPECT_THAT(sentences(outcome, line),
                ElementsAre("delivery broken: node 1 waits for ever for a message by any port"));
    EXPECT_FALSE(outcome.verdict.delivered);
    EXPECT_EQ(outcome.verdict.holders, 2U);
    EXPECT_EQ(the(Breach::waits_for_ever, outcome.verdict).rule(), Rule::delivery);
}

Program everybody_receives_from_the_right(Node& self) {
    if (self.id() == 0) {
        co_await self.send(rightwards, Packet(0));
    } else {
        co_await self.receive(rightwards);
    }
}

TEST(WaitsForEver, ByAPortNamesThePortAndTheNeighbourThere) {
    const Machine line = machine("line:3");
    const Outcome outcome = run(job(line, everybody_receives_from_the_right, {0}));
    EXPECT_THAT(sentences(outcome, line),
                ElementsAre("delivery broken: node 1 waits for ever for a message by port 1 from node 2",
                            "delivery broken: node 2 never receives packet 0"));
}

TEST(WaitsForEver, ByAMissingPortIsReportedAsSuch) {
    const Machine line = machine("line:2");
    const Outcome outcome = run(job(line, everybody_receives_from_the_right, {0}));
    EXPECT_THAT(sentences(outcome, line), ElementsAre("delivery broken: node 1 waits for ever for a message by port 1, "
                                                      "which it does not have"));
    const Outcome beyond = run(job(line,
                                   [](Node& self) -> Program {
                                       if (self.id() == 0)
                                           co_await self.send(rightwards, Packet(0));
                                       else
                                           co_await self.receive(77);
                                   },
                                   {0}));
    EXPECT_THAT(sentences(beyond, line), ElementsAre("delivery broken: node 1 waits for ever for a message by port 77, "
                                                     "which it does not have"));
}

Program receive_from_the_other_then_send(Node& self) {
    const Port other = self.id() == 0 ? rightwards : leftwards;
    co_await self.receive(other);
    co_await self.send(other, Packet(0));
}

TEST(WaitsForEver, ADeadlockNamesBothNodesAndTheirPorts) {
    const Machine line = machine("line:2");
    const Outcome outcome = run(job_of_all(line, receive_from_the_other_then_send));
    EXPECT_THAT(sentences(outcome, line),
                ElementsAre("delivery broken: node 0 waits for ever for a message by port 1 from node 1",
                            "delivery broken: node 1 waits for ever for a message by port 0 from node 0",
                            "delivery broken: node 1 never receives packet 0"));
    EXPECT_EQ(outcome.verdict.metrics.rounds, 0U);
}

// ------------------------------------------------------------------------------------------------------- held and equal

Program send_what_is_not_held(Node& self) {
    if (self.id() == 1) co_await self.send(rightwards, Packet(0));
}

TEST(UnheldPacket, IsReportedAndItsBytesDiffer) {
    const Machine line = machine("line:3");
    Job broken = job_of_all(line, send_what_is_not_held);
    const Outcome outcome = run(broken);
    EXPECT_THAT(sentences(outcome, line),
                ElementsAre(HasSubstr("node 1 sends packet 0 in round 1 and does not hold it"),
                            "delivery broken: node 1 never receives packet 0",
                            "delivery broken: packet 0 at node 2 differs from what was sent in byte 0"));
    EXPECT_EQ(the(Breach::payload_differs, outcome.verdict).rule(), Rule::delivery);
    EXPECT_FALSE(outcome.verdict.delivered);

    broken.payload = false;
    EXPECT_THAT(sentences(run(broken), line), testing::SizeIs(2));
}

// --------------------------------------------------------------------------------------------- sends of the same round

Program source_sends_both_ways_together(Node& self) {
    if (self.id() == 1) {
        const std::array<SendRequest, 2> both{SendRequest(leftwards, Packet(0)), SendRequest(rightwards, Packet(0))};
        co_await self.send_together(both);
    }
}

TEST(SendsTogether, BeyondThePortsSpreadOverRoundsUnderQueue) {
    const Machine line = machine("line:3");
    const Outcome outcome = run(job(line, source_sends_both_ways_together, {1}));
    EXPECT_THAT(sentences(outcome, line), IsEmpty());
    EXPECT_EQ(test::text(outcome.schedule), "1: 1>0 | 2: 1>2");
}

TEST(SendsTogether, BeyondThePortsAreReportedUnderStrict) {
    const Machine line = strict(machine("line:3"));
    const Outcome outcome = run(job(line, source_sends_both_ways_together, {1}));
    EXPECT_THAT(
        sentences(outcome, line),
        ElementsAre("strict broken: node 1 declares more sends for round 1 than its 1 port can start: the send to node "
                    "2 by port 1 would have to wait, sends that are awaited one after the other may take several "
                    "rounds"));
    EXPECT_EQ(test::text(outcome.schedule), "1: 1>0 | 2: 1>2");
    EXPECT_FALSE(outcome.verdict.kept(Rule::strict));
    EXPECT_TRUE(outcome.verdict.kept(Rule::ports) && outcome.verdict.delivered);
    const Violation v = the(Breach::would_wait_send, outcome.verdict);
    test::expect_place(v, Rule::strict, 1, 1, rightwards, 2);
    EXPECT_EQ(v.limit, 1U);
}

TEST(SendsTogether, BeyondThePortsAreReportedWithWhereTheyWouldGoAndWhatTheyCarry) {
    // Two messages by the one port: to a node along a route, to a neighbour, and with several packets of a scatter.
    using Where = std::pair<NodeId, PacketId>;
    const auto overrun_of = [](Machine machine, Operation operation, const std::vector<SendRequest>& sends) {
        Job two = job(strict(std::move(machine)),
                      [&](Node& self) -> Program {
                          if (self.id() == 0) co_await self.send_together(sends);
                      },
                      {0});
        two.collective.operation = operation;
        const Verdict verdict = run(two).verdict;
        const Violation v = the(Breach::would_wait_send, verdict);
        return Where{v.other, v.packet};
    };
    const std::vector<SendRequest> to_2(2, SendRequest(2, {}, Packet(0)));
    EXPECT_EQ(overrun_of(wormhole(machine("line:3")), Operation::broadcast, to_2), Where(2, 0));
    const std::vector<SendRequest> to_1(2, SendRequest(1, {}, Packet(0)));
    EXPECT_EQ(overrun_of(machine("line:3"), Operation::broadcast, to_1), Where(1, 0));
    PacketSet packets;
    packets.add(PacketBlock{1, 2});
    const std::vector<SendRequest> bundles(2, SendRequest(rightwards, packets));
    EXPECT_EQ(overrun_of(machine("line:3"), Operation::scatter, bundles), Where(1, 1));
}

TEST(SendsTogether, WithinThePortsAreLawfulUnderStrict) {
    const Machine line = strict(machine("line:3", PortLimit(2)));
    const Outcome outcome = run(job(line, source_sends_both_ways_together, {1}));
    EXPECT_THAT(sentences(outcome, line), IsEmpty());
    EXPECT_EQ(test::text(outcome.schedule), "1: 1>0 1>2");
}

Program source_sends_both_ways_in_turn(Node& self) {
    if (self.id() == 1) {
        co_await self.send(leftwards, Packet(0));
        co_await self.send(rightwards, Packet(0));
    }
}

TEST(SequentialSends, AreLawfulUnderStrict) {
    const Machine line = strict(machine("line:3"));
    const Outcome outcome = run(job(line, source_sends_both_ways_in_turn, {1}));
    EXPECT_THAT(sentences(outcome, line), IsEmpty());
    EXPECT_EQ(test::text(outcome.schedule), "1: 1>0 | 2: 1>2");
}

// --------------------------------------------------------------------------------------------------- receive overflow

/// Node 0 informs 1, then both send to node 2 in round 2: one message too many for its port (and for NODUP).
Program two_send_to_node_2(Node& self) {
    if (self.id() == 0) co_await self.send_to(1, Packet(0));
    if (self.id() == 1) co_await self.receive();
    if (self.id() != 2) co_await self.send_to(2, Packet(0));
}

TEST(ReceiveOverflow, WaitsUnderQueue) {
    const Machine complete = machine("complete:3");
    const Outcome outcome = run(job(complete, two_send_to_node_2, {0}));
    EXPECT_EQ(test::text(outcome.schedule), "1: 0>1 | 2: 0>2 | 3: 1>2");
    EXPECT_THAT(sentences(outcome, complete), ElementsAre(HasSubstr("NODUP broken: node 2 receives packet 0 again")));
    EXPECT_TRUE(outcome.verdict.kept(Rule::ports) && outcome.verdict.kept(Rule::strict));
}

TEST(ReceiveOverflow, IsReportedUnderStrict) {
    const Machine complete = strict(machine("complete:3"));
    const Outcome outcome = run(job(complete, two_send_to_node_2, {0}));
    EXPECT_EQ(test::text(outcome.schedule), "1: 0>1 | 2: 0>2 | 3: 1>2");
    EXPECT_THAT(
        sentences(outcome, complete),
        ElementsAre("strict broken: node 2 is sent more than its ports receive in round 2: the message from node 0 "
                    "is first, the message from node 1 by port 1 would have to wait",
                    HasSubstr("NODUP broken")));
    const Violation v = the(Breach::would_wait_receive, outcome.verdict);
    test::expect_place(v, Rule::strict, 2, 2, 1, 1);
    EXPECT_EQ(v.earlier_other, 0U);
}

TEST(ReceiveOverflow, DoesNotHappenWithTwoPorts) {
    const Machine complete = strict(machine("complete:3", PortLimit(2)));
    const Outcome outcome = run(job(complete, two_send_to_node_2, {0}));
    // With two ports node 0 informs both in round 1; node 1 is late, but nothing waits.
    EXPECT_EQ(test::text(outcome.schedule), "1: 0>1 0>2 | 2: 1>2");
    EXPECT_TRUE(outcome.verdict.kept(Rule::strict));
}

TEST(HalfDuplex, ASendAndAReceiveCompeteForTheOnePort) {
    // In round 2 node 0 sends to 1 again while node 1 sends to 2: node 1's port takes the lower sender's claim first.
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(rightwards, Packet(0));
            co_await self.send(rightwards, Packet(0));
        }
        if (self.id() == 1) {
            co_await self.receive();
            co_await self.send(rightwards, Packet(0));
        }
    };
    const Outcome full = run(job(machine("line:3"), program, {0}));
    EXPECT_EQ(test::text(full.schedule), "1: 0>1 | 2: 0>1 1>2");
    const Outcome half = run(job(half_duplex(machine("line:3")), program, {0}));
    EXPECT_EQ(test::text(half.schedule), "1: 0>1 | 2: 0>1 | 3: 1>2");
    EXPECT_TRUE(half.verdict.kept(Rule::ports) && half.verdict.kept(Rule::strict));
    const Outcome reported = run(job(strict(half_duplex(machine("line:3"))), program, {0}));
    EXPECT_EQ(test::text(reported.schedule), "1: 0>1 | 2: 0>1 | 3: 1>2");
    const Violation v = the(Breach::would_wait_receive, reported.verdict);
    EXPECT_EQ(v.node, 1U);
    EXPECT_EQ(v.other, 1U);
    EXPECT_EQ(v.earlier_other, 0U);
}

// ---------------------------------------------------------------------------------------------------- channel conflict

/// Round 1: 0 informs 1. Round 2: 0 sends to 3 over 1 and 2 while 1 sends to 2: both want the channel from 1 to 2.
Program two_paths_over_one_channel(Node& self) {
    if (self.id() == 0) {
        co_await self.send_to(1, Packet(0));
        co_await self.send_to(3, Packet(0));
    }
    if (self.id() == 1) {
        co_await self.receive();
        co_await self.send_to(2, Packet(0));
    }
}

TEST(ChannelConflict, WaitsUnderQueueAndIsLawful) {
    const Machine line = wormhole(machine("line:4"));
    const Outcome outcome = run(job(line, two_paths_over_one_channel, {0}));
    EXPECT_EQ(test::text(outcome.schedule), "1: 0>1 | 2: 0>3 | 3: 1>2");
    EXPECT_THAT(sentences(outcome, line), IsEmpty());
}

TEST(ChannelConflict, IsReportedUnderStrict) {
    const Machine line = strict(wormhole(machine("line:4")));
    const Outcome outcome = run(job(line, two_paths_over_one_channel, {0}));
    EXPECT_EQ(test::text(outcome.schedule), "1: 0>1 | 2: 0>3 | 3: 1>2");
    EXPECT_THAT(
        sentences(outcome, line),
        ElementsAre("strict broken: the channel of node 1 by port 1 is asked for twice in round 2: the message from "
                    "node 0 is first, the message from node 1 would have to wait"));
    const Violation v = the(Breach::would_wait_channel, outcome.verdict);
    test::expect_place(v, Rule::strict, 2, 1, rightwards, 1);
    EXPECT_EQ(v.earlier_other, 0U);
}

TEST(ChannelConflict, OppositeChannelsDoNotConflict) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send_to(3, Packet(0));
            co_await self.send_to(2, Packet(0));
        }
        if (self.id() == 3) {
            co_await self.receive();
            co_await self.send_to(1, Packet(0));
        }
    };
    const Machine line = strict(wormhole(machine("line:4")));
    const Outcome outcome = run(job(line, program, {0}));
    EXPECT_EQ(test::text(outcome.schedule), "1: 0>3 | 2: 0>2 3>1");
    EXPECT_THAT(sentences(outcome, line), IsEmpty());
}

TEST(ChannelRule, DemandsASimplePathOfProgramsToo) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            const std::array<Port, 3> detour{3, 2, 1};  // 0 > 1 > 0 > 2
            co_await self.send_along(2, detour, Packet(0));
        }
    };
    const Machine square = wormhole(machine("mesh:2x2"));
    const Outcome outcome = run(job(square, program, {0}));
    EXPECT_EQ(the(Breach::path_visits_twice, outcome.verdict).node, 0U);
    EXPECT_FALSE(outcome.verdict.kept(Rule::channel));
}

}  // namespace
}  // namespace kport
