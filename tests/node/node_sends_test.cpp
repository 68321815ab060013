/// @file node_sends_test.cpp   What a node asks of its host to send, and when it waits with it.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include <gmock/gmock.h>

#include "tests/node/a_node.hpp"

namespace kport {
namespace {

using test::ANode;
using test::send_two;
using testing::ElementsAre;

TEST_F(ANode, ContinuesInTheSameRoundIfItsSendStarts) {
    host.ready = 2;
    start(send_two(node));
    resume();
    EXPECT_TRUE(ended);
    ASSERT_EQ(host.started.size(), 2U);
    EXPECT_FALSE(host.started[0].routed());
    EXPECT_EQ(host.started[0].port(), 0U);
    EXPECT_EQ(host.started[0].cargo().packet().id(), 7U);
    EXPECT_TRUE(host.started[1].routed());
    EXPECT_EQ(host.started[1].to(), 5U);
    EXPECT_TRUE(host.started[1].route().empty());
    EXPECT_FALSE(host.asked_together);
}

TEST_F(ANode, WaitsWithItsSendWhenNoPortIsFree) {
    host.ready = 1;
    start(send_two(node));
    resume();
    EXPECT_FALSE(ended);
    EXPECT_EQ(waiting(), Waiting::to_send);
    ASSERT_EQ(NodeAccess::wanted(node).size(), 1U);
    EXPECT_EQ(NodeAccess::wanted(node).front().to(), 5U);
    resume();
    EXPECT_TRUE(ended);
}

Program send_three_together(Node& self) {
    const std::array<SendRequest, 3> sends{SendRequest(0, Packet(1)), SendRequest(1, Packet(2)),
                                           SendRequest(6, {}, Packet(3))};
    co_await self.send_together(sends);
}

TEST_F(ANode, WaitsWithTheRestOfSendsTogether) {
    host.ready = 1;
    start(send_three_together(node));
    resume();
    EXPECT_TRUE(host.asked_together);
    EXPECT_EQ(waiting(), Waiting::to_send);
    EXPECT_EQ(NodeAccess::wanted(node).size(), 2U);
    EXPECT_EQ(NodeAccess::wanted(node).front().cargo().packet().id(), 2U);
}

TEST_F(ANode, CountsItsSendsAnewInEachRound) {
    EXPECT_EQ(NodeAccess::sends(node, 1)++, 0U);
    EXPECT_EQ(NodeAccess::sends(node, 1)++, 1U);
    EXPECT_EQ(NodeAccess::send_round(node), 1U);
    EXPECT_EQ(NodeAccess::sends(node, 3)++, 0U);
    EXPECT_EQ(NodeAccess::sends(node, 3), 1U);
    EXPECT_EQ(NodeAccess::send_round(node), 3U);
}

Program send_along_and_pass_along(Node& self, std::span<const Port> route, const PacketSet& packets) {
    co_await self.send_along(5, route, Packet(4));
    co_await self.pass_along(6, route, packets);
    co_await self.pass(1, packets);
}

TEST_F(ANode, SendsAlongTheRouteItNames) {
    const std::array<Port, 2> route{1, 0};
    const PacketSet packets = PacketSet::range(2, 6);
    host.ready = 3;
    start(send_along_and_pass_along(node, route, packets));
    resume();
    EXPECT_TRUE(ended);
    ASSERT_EQ(host.started.size(), 3U);
    EXPECT_EQ(host.started[0].to(), 5U);
    EXPECT_THAT(host.started[0].route(), ElementsAre(1, 0));
    EXPECT_EQ(host.started[1].to(), 6U);
    EXPECT_EQ(host.started[1].route().size(), 2U);
    EXPECT_EQ(host.started[1].cargo().kind(), Cargo::Kind::passed);
    EXPECT_FALSE(host.started[2].routed());
    EXPECT_EQ(host.started[2].cargo().kind(), Cargo::Kind::passed);
}

Program send_sets_and_a_value(Node& self, const PacketSet& packets) {
    co_await self.send(0, packets);
    co_await self.pass_to(5, packets);
    const Value own = self.contribution();
    co_await self.send(1, own);
    const Packet far(PacketId{1} << 40);
    co_await self.send(1, far);
}

TEST_F(ANode, ReportsTheCargoOfEachSend) {
    const PacketSet packets = PacketSet::range(2, 6);
    host.ready = 2;
    start(send_sets_and_a_value(node, packets));
    resume();
    ASSERT_EQ(host.started.size(), 2U);
    EXPECT_EQ(host.started[0].cargo().kind(), Cargo::Kind::packets);
    EXPECT_EQ(&host.started[0].cargo().packets(), &packets);
    EXPECT_EQ(host.started[1].cargo().kind(), Cargo::Kind::passed);
    EXPECT_EQ(&host.started[1].cargo().packets(), &packets);
    EXPECT_EQ(host.started[1].to(), 5U);
    ASSERT_EQ(NodeAccess::wanted(node).size(), 1U);
    const Cargo value = NodeAccess::wanted(node).front().cargo();
    EXPECT_EQ(value.kind(), Cargo::Kind::value);
    EXPECT_EQ(value.value().element().bits, 30U);
    host.ready = 1;
    resume();
    EXPECT_EQ(host.started.back().cargo().kind(), Cargo::Kind::packet);
    EXPECT_EQ(host.started.back().cargo().packet().id(), PacketId{1} << 40);
}

Program keeps(Node& self, std::shared_ptr<const int> what) {
    co_await self.until(1);
    (void)*what;
}

TEST_F(ANode, ProgramThatIsNeverRunIsDestroyedWithWhatItsFrameKeeps) {
    const auto what = std::make_shared<const int>(1);
    {
        Program never = keeps(node, what);
        Program moved = std::move(never);
        Program other = keeps(node, what);
        EXPECT_EQ(what.use_count(), 3);
        other = std::move(moved);
    }
    EXPECT_EQ(what.use_count(), 1);
}

// What a request names must live until the await is over: a temporary is refused when the program is compiled.
static_assert(std::is_constructible_v<SendRequest, Port, const PacketSet&>);
static_assert(std::is_constructible_v<SendRequest, Port, PacketSet&>);
static_assert(!std::is_constructible_v<SendRequest, Port, PacketSet>);
static_assert(!std::is_constructible_v<SendRequest, Port, const PacketSet>);
static_assert(!std::is_constructible_v<SendRequest, Port, Value>);
static_assert(std::is_constructible_v<SendRequest, Port, Packet>, "it names nothing");
static_assert(!std::is_constructible_v<SendRequest, NodeId, std::span<const Port>, PacketSet>);
static_assert(!std::is_constructible_v<SendRequest, NodeId, std::vector<Port>, Packet>);
static_assert(std::is_constructible_v<SendRequest, NodeId, const std::vector<Port>&, Packet>);
static_assert(std::is_constructible_v<SendRequest, NodeId, std::array<Port, 2>&, const PacketSet&>);
template <class Packets>
concept Passed = requires(Packets&& packets) {
    Cargo::passed(std::forward<Packets>(packets));
};
static_assert(Passed<const PacketSet&> && Passed<PacketSet&> && !Passed<PacketSet>);

TEST(SendRequest, ToANumberThatNoNodeHasIsNotASendByPort) {
    EXPECT_TRUE(SendRequest(no_node, {}, Packet(0)).routed());
    EXPECT_TRUE(SendRequest(0xFFFFFFFF, {}, Packet(0)).routed());
    EXPECT_EQ(SendRequest(NodeId{1} << 32, {}, Packet(0)).to(), 0xFFFFFFFEU);
    EXPECT_FALSE(SendRequest(3, Packet(0)).routed());
}

}  // namespace
}  // namespace kport
