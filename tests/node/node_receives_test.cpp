/// @file node_receives_test.cpp   What a node waits for, the order in which it receives, and what it is given.
#include <algorithm>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/node/a_node.hpp"

namespace kport {
namespace {

using test::ANode;
using test::FakeHost;
using test::receive_from_4;
using test::receive_then_by_port_1;
using test::send_two;
using testing::ElementsAre;

TEST_F(ANode, WaitsForAnyMessageThenForOneByAPortThenForTheRound) {
    std::vector<PacketId> got;
    start(receive_then_by_port_1(node, got));
    resume();
    EXPECT_EQ(waiting(), Waiting::for_message);
    EXPECT_TRUE(NodeAccess::waits_for(node, 2, 0));
    deliver(2, 0, 1, 10);
    resume();
    EXPECT_EQ(waiting(), Waiting::for_message_by);
    EXPECT_EQ(NodeAccess::awaited(node), 1U);
    EXPECT_FALSE(NodeAccess::waits_for(node, 2, 0));
    EXPECT_TRUE(NodeAccess::waits_for(node, 2, 1));
    EXPECT_FALSE(NodeAccess::waits_for(node, 2, 2));
    EXPECT_FALSE(NodeAccess::waits_for(node, 1, 0)) << "1 is a port";
    deliver(2, 0, 2, 11);
    deliver(4, 1, 2, 12);
    resume();
    EXPECT_EQ(waiting(), Waiting::for_round);
    resume();
    EXPECT_TRUE(ended);
    EXPECT_THAT(got, ElementsAre(10, 12, 1));
}

TEST_F(ANode, WaitsForAMessageOfOneSenderByWhateverPortItComes) {
    std::vector<PacketId> got;
    start(receive_from_4(node, got));
    resume();
    EXPECT_EQ(waiting(), Waiting::for_message_from);
    EXPECT_EQ(NodeAccess::awaited(node), 4U);
    EXPECT_FALSE(NodeAccess::waits_for(node, 2, 4));
    EXPECT_TRUE(NodeAccess::waits_for(node, 4, 0));
    EXPECT_FALSE(NodeAccess::waits_for(node, 5, 0));
    EXPECT_FALSE(NodeAccess::holds(node));
    deliver(6, 4, 1, 10);
    EXPECT_TRUE(NodeAccess::holds(node));
    EXPECT_FALSE(NodeAccess::has_awaited(node));
    deliver(4, 0, 2, 11);
    EXPECT_TRUE(NodeAccess::has_awaited(node));
    resume();
    EXPECT_THAT(got, ElementsAre(11));
    EXPECT_EQ(NodeAccess::arrivals(node).first().arrival.packet().id(), 10U);
}

Program receive_by_port_1(Node& self, std::vector<PacketId>& got) {
    const Arrival arrival = co_await self.receive(1);
    got.push_back(arrival.packet().id());
}

TEST_F(ANode, LeavesTheMessagesByOtherPortsWhereTheyAre) {
    std::vector<PacketId> got;
    deliver(2, 2, 1, 10);
    deliver(2, 0, 2, 11);
    deliver(2, 1, 3, 12);
    deliver(2, 2, 4, 13);
    start(receive_by_port_1(node, got));
    resume();
    EXPECT_THAT(got, ElementsAre(12));
    EXPECT_EQ(NodeAccess::arrivals(node).first().arrival.packet().id(), 10U);
}

TEST_F(ANode, ThatWaitsForNoMessageDoesNotWaitForThisOne) {
    start(send_two(node));
    resume();
    EXPECT_EQ(waiting(), Waiting::to_send);
    EXPECT_FALSE(NodeAccess::waits_for(node, 2, no_port));
}

TEST_F(ANode, ReportsWhetherTheOrderOfArrivalMatters) {
    using Asked = NodeAccess::Asked;
    std::vector<PacketId> got;
    EXPECT_EQ(NodeAccess::asked(node), 0U);
    start(receive_from_4(node, got));
    resume();
    EXPECT_EQ(NodeAccess::asked(node), 0U) << "of one sender the messages have an order";
    deliver(4, 0, 1);
    resume();
    start(receive_then_by_port_1(node, got));
    resume();
    EXPECT_EQ(NodeAccess::asked(node), unsigned{Asked::any});
    deliver(2, 0, 1);
    resume();
    EXPECT_EQ(NodeAccess::asked(node), unsigned{Asked::any | Asked::by_port});
    EXPECT_FALSE(node.has_arrival());
    EXPECT_EQ(NodeAccess::asked(node), unsigned{Asked::any | Asked::by_port | Asked::whether_any});
}

TEST(AHost, WithItsOwnClocksIsNotifiedOfReceives) {
    for (const bool has_own_clocks : {false, true}) {
        FramePool pool;
        FakeHost host(has_own_clocks);
        Node node(host, 3);
        running = {&pool, &node};
        NodeAccess::deliver(node, Arrival(4, 0, 1, Packet(6)), pool);
        std::vector<PacketId> got;
        NodeAccess::leaf(node) = receive_from_4(node, got).release();
        NodeAccess::leaf(node).resume();
        EXPECT_THAT(host.told, testing::ElementsAreArray(std::vector<PacketId>(has_own_clocks ? 1 : 0, 6)));
        NodeAccess::clear(node, pool);
        running = {};
    }
}

TEST(AnArrival, OfABodyHasItsPackets) {
    FramePool pool;
    running.pool = &pool;
    {
        const PacketBlock blocks[] = {{4, 2, 3}, {1}};
        const Arrival arrival(2, 0, 1, Value(Body::make(blocks, 8, pool)), 16);
        EXPECT_EQ(arrival.packet().id(), 1U) << "the lowest";
        EXPECT_EQ(arrival.packets().size(), 4U);
    }
    {
        const PacketBlock of_row[] = {{4, 1, 2, 3}};
        const Arrival arrival(2, 0, 1, Value(Body::make(of_row, 8, pool)), 16);
        EXPECT_EQ(arrival.packet().id(), 3U * 16 + 4) << "of an alltoall";
        const Arrival element(2, 0, 1, Value(Element{{5}, 4}), 16);
        EXPECT_EQ(element.packet().id(), 5U) << "of a reduction the contribution";
    }
    const Arrival one(2, 0, 1, Packet(6));
    EXPECT_EQ(one.packet().id(), 6U);
    const PacketSet its_packets = one.packets();
    ASSERT_TRUE(its_packets.is_block());
    EXPECT_EQ(its_packets.block(), PacketBlock{6});
    running = {};
}

Program take_all(Node& self, std::vector<std::tuple<Round, NodeId, Port>>& got) {
    while (self.has_arrival()) {
        const Arrival arrival = co_await self.receive();
        got.emplace_back(arrival.round, arrival.from, arrival.port);
    }
}

RC_GTEST_PROP(Arrivals, AreReceivedByRoundThenSenderThenPort, ()) {
    FramePool pool;
    FakeHost host;
    Node node(host, 3);
    running = {&pool, &node};
    std::vector<std::tuple<Round, NodeId, Port>> sent;
    for (int left = *rc::gen::inRange(0, 20); left > 0; --left) {
        sent.emplace_back(*rc::gen::inRange<Round>(1, 4), *rc::gen::inRange<NodeId>(0, 5),
                          *rc::gen::inRange<Port>(0, 3));
        const auto& [round, from, port] = sent.back();
        NodeAccess::deliver(node, Arrival(from, port, round, Packet(0)), pool);
    }
    std::vector<std::tuple<Round, NodeId, Port>> got;
    NodeAccess::leaf(node) = take_all(node, got).release();
    NodeAccess::leaf(node).resume();
    std::sort(sent.begin(), sent.end());
    RC_ASSERT(got == sent);
    NodeAccess::clear(node, pool);
    running = {};
}

TEST_F(ANode, KeepsIndistinguishableMessagesInTheOrderOfArrival) {
    deliver(2, 0, 1, 10);
    deliver(2, 0, 1, 11);
    EXPECT_EQ(NodeAccess::arrivals(node).first().arrival.packet().id(), 10U);
}

}  // namespace
}  // namespace kport
