/// @file node_test.cpp   A node and its programs without an engine: their calls to the host, and the order in which they
///                       receive.
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/node/message.hpp"
#include "emulator/node/node_access.hpp"

namespace kport {
namespace {

using testing::ElementsAre;

/// Starts a given number of sends and logs the calls.
class FakeHost final : public Host {
  public:
    explicit FakeHost(bool has_own_clocks = false) : Host(has_own_clocks) {
        machine_.topology = make_topology("ring:8");
    }
    std::span<const SendRequest> start(Node&, std::span<const SendRequest> sends, bool together) override {
        asked_together = together;
        while (ready > 0 && !sends.empty()) {
            --ready;
            started.push_back(sends.front());
            sends = sends.subspan(1);
        }
        return sends;
    }
    [[nodiscard]] const Machine& machine() const override { return machine_; }
    [[nodiscard]] Value contribution(Node& node) override {
        return Value(Element{{static_cast<std::uint32_t>(node.id())}, 10 * node.id()});
    }
    /// left - right, so that sides can be told apart.
    [[nodiscard]] Value fold(Node&, const Value& left, const Value& right) override {
        return Value(Element{left.element().contributions, left.element().bits - right.element().bits});
    }
    [[nodiscard]] Value whole(Node&, const Value& value) override { return value; }
    void result(Node&, const Value& value) override { results.push_back(value.element().bits); }
    void set_round(Round round) { round_ = round; }

    std::size_t ready = 0;
    bool asked_together = false;
    std::vector<SendRequest> started;
    std::vector<std::uint64_t> results;
    std::vector<PacketId> told;  ///< that they were received

  private:
    void received(Node&, const Arrival& arrival) override { told.push_back(arrival.packet().id()); }

    Machine machine_;
};

/// One node, resumed by hand.
class ANode : public testing::Test {
  protected:
    ANode() { running = {&pool, &node}; }
    ~ANode() override {
        NodeAccess::clear(node, pool);
        running = {};
    }

    void start(Program program) { NodeAccess::leaf(node) = program.release(); }
    /// Resumes the innermost program until the node waits or its programs have ended.
    void resume() {
        NodeAccess::waiting(node) = Waiting::nothing;
        Program::Handle& leaf = NodeAccess::leaf(node);
        while (NodeAccess::waiting(node) == Waiting::nothing) {
            const Program::Handle now = leaf;
            now.resume();
            if (!now.done()) continue;
            if (!now.promise().caller) {
                ended = true;
                return;
            }
            leaf = now.promise().caller;
        }
    }
    void deliver(NodeId from, Port port, Round round, PacketId packet = 0) {
        NodeAccess::deliver(node, Arrival(from, port, round, Packet(packet)), pool);
    }
    [[nodiscard]] Waiting waiting() const { return NodeAccess::waiting(node); }

    FramePool pool;
    FakeHost host;
    Node node{host, 3};
    bool ended = false;
};

Program send_two(Node& self) {
    co_await self.send(0, Packet(7));
    co_await self.send_to(5, Packet(8));
}

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

Program receive_then_by_port_1(Node& self, std::vector<PacketId>& got) {
    const Arrival any = co_await self.receive();
    got.push_back(any.packet().id());
    const Arrival by_port = co_await self.receive(1);
    got.push_back(by_port.packet().id());
    co_await self.next_round();
    got.push_back(self.has_arrival() ? 1 : 0);
}

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

Program receive_from_4(Node& self, std::vector<PacketId>& got) {
    const Arrival arrival = co_await self.receive_from(4);
    got.push_back(arrival.packet().id());
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
    EXPECT_EQ(NodeAccess::first_letter(node)->arrival.packet().id(), 10U);
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
    EXPECT_EQ(NodeAccess::first_letter(node)->arrival.packet().id(), 10U);
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

TEST_F(ANode, CountsItsSendsAnewInEachRound) {
    EXPECT_EQ(NodeAccess::sends(node, 1)++, 0U);
    EXPECT_EQ(NodeAccess::sends(node, 1)++, 1U);
    EXPECT_EQ(NodeAccess::send_round(node), 1U);
    EXPECT_EQ(NodeAccess::sends(node, 3)++, 0U);
    EXPECT_EQ(NodeAccess::sends(node, 3), 1U);
    EXPECT_EQ(NodeAccess::send_round(node), 3U);
}

TEST_F(ANode, IsEmptyAtFirst) {
    EXPECT_EQ(waiting(), Waiting::nothing);
    EXPECT_FALSE(NodeAccess::scheduled(node));
    EXPECT_FALSE(NodeAccess::holds(node));
    EXPECT_EQ(NodeAccess::held(node), 0U);
    EXPECT_EQ(NodeAccess::send_round(node), 0U);
    EXPECT_EQ(NodeAccess::sends(node, 0), 0U);
    EXPECT_EQ(NodeAccess::first_letter(node), nullptr);
    EXPECT_EQ(node.id(), 3U);
    EXPECT_EQ(node.topology().spec(), "ring:8");
    EXPECT_EQ(node.round(), 0U);
    host.set_round(5);
    EXPECT_EQ(node.round(), 5U);
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
    EXPECT_TRUE(one.packets().empty());
    running = {};
}

TEST(AMessage, HoldsAPacketABodyOrAnElement) {
    Message message{};
    message.content = 12;
    EXPECT_EQ(message.packet().id(), 12U);
    const Element element{{3}, 17};
    message.content = reinterpret_cast<std::uintptr_t>(&element) + 1;
    EXPECT_TRUE(message.has_element());
    EXPECT_EQ(&message.element(), &element);
    FramePool pool;
    Body* body = Body::make({}, 8, pool);
    message.content = reinterpret_cast<std::uintptr_t>(body);
    EXPECT_FALSE(message.has_element());
    EXPECT_EQ(message.body(), body);
    body->release(pool);
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

Program subtract_what_comes(Node& self) {
    const Value own = self.contribution();
    const Arrival arrival = co_await self.receive();
    self.result(self.fold(own, arrival.value()));
    self.result(self.fold(arrival.value(), own));
}

TEST_F(ANode, FoldsLeftAndRightByItsHost) {
    start(subtract_what_comes(node));
    resume();
    NodeAccess::deliver(node, Arrival(5, 0, 1, Value(Element{{5}, 4}), 16), pool);
    resume();
    EXPECT_TRUE(ended);
    EXPECT_THAT(host.results, ElementsAre(26U, std::uint64_t{0} - 26));
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

TEST_F(ANode, SharesTheBodyOfAValueThatCame) {
    const PacketBlock two[] = {{1}, {4}};
    Body* body = Body::make(two, 8, pool);
    NodeAccess::deliver(node, Arrival(2, 0, 1, Value(body), 16), pool);
    Value kept;
    const auto keep = [](Node& self, Value& into) -> Program {
        const Arrival arrival = co_await self.receive();
        into = arrival.value();
    };
    start(keep(node, kept));
    resume();
    EXPECT_TRUE(ended);
    EXPECT_EQ(kept.body(), body);
    EXPECT_FALSE(kept.is_element());
    EXPECT_EQ(kept.contributions().size(), 2U);
    kept = Value();  // the last reference: under AddressSanitizer nothing is left
}

TEST_F(ANode, ThatEndsGivesBackWhatItNeverReceivedAndItsWaitingPrograms) {
    // Under AddressSanitizer nothing is left; elsewhere the pool gives the same block again.
    std::vector<PacketId> got;
    start(receive_then_by_port_1(node, got));
    resume();
    void* frame = NodeAccess::leaf(node).address();
    deliver(2, 0, 1);
    deliver(2, 0, 2);
    NodeAccess::clear(node, pool);
    EXPECT_FALSE(node.has_arrival());
    Program again = receive_then_by_port_1(node, got);
    const Program::Handle handle = again.release();
    EXPECT_EQ(handle.address(), frame);
    handle.destroy();
}

Program wait_for_ever(Node& self) { co_await self.receive(); }

Program hold_and_wait(Node& self, std::shared_ptr<int>) { co_await wait_for_ever(self); }

TEST_F(ANode, ThatEndsTakesDownTheProgramsThatAwaitTheInnermost) {
    const auto held = std::make_shared<int>(0);
    start(hold_and_wait(node, held));
    resume();
    EXPECT_EQ(waiting(), Waiting::for_message);
    EXPECT_EQ(held.use_count(), 2);
    NodeAccess::clear(node, pool);
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(NodeAccess::leaf(node));
}

TEST_F(ANode, GivesBackItsLettersWhetherReceivedOrNot) {
    const PacketBlock packet{4};
    for (const bool received : {false, true}) {
        Body* body = Body::make({&packet, 1}, 8, pool);
        body->hold();
        NodeAccess::deliver(node, Arrival(4, 0, 1, Value(body), 16), pool);
        const void* letter = NodeAccess::first_letter(node);
        std::vector<PacketId> got;
        if (received) {
            start(receive_from_4(node, got));
            resume();
            EXPECT_THAT(got, ElementsAre(4));
        }
        NodeAccess::clear(node, pool);
        void* again = pool.allocate(sizeof(NodeAccess::Letter));
        EXPECT_EQ(again, letter) << "received: " << received;
        pool.deallocate(again, sizeof(NodeAccess::Letter));
        body->release(pool);  // the last reference
        Body* next = Body::make({&packet, 1}, 8, pool);
        EXPECT_EQ(next, body) << "received: " << received;
        next->release(pool);
    }
}

TEST_F(ANode, KeepsIndistinguishableMessagesInTheOrderOfArrival) {
    deliver(2, 0, 1, 10);
    deliver(2, 0, 1, 11);
    EXPECT_EQ(NodeAccess::first_letter(node)->arrival.packet().id(), 10U);
}

Program throw_at_once(Node&) {
    throw std::runtime_error("at once");
    co_return;
}

Program call_and_catch(Node& self, std::vector<std::string>& caught) {
    for (int i = 0; i < 3; ++i) {
        try {
            co_await throw_at_once(self);
        } catch (const std::runtime_error& error) {
            caught.emplace_back(error.what());
        }
    }
}

TEST_F(ANode, PropagatesAnExceptionFromTheCalleeToTheCaller) {
    std::vector<std::string> caught;
    start(call_and_catch(node, caught));
    resume();
    EXPECT_TRUE(ended);
    EXPECT_THAT(caught, ElementsAre("at once", "at once", "at once"));
    EXPECT_FALSE(running.failed);
}

TEST_F(ANode, ProgramThatIsNeverRunIsDestroyed) {
    Program never = send_two(node);
    Program moved = std::move(never);
    Program other = send_two(node);
    other = std::move(moved);
}

TEST(SendRequest, ToANumberThatNoNodeHasIsNotASendByPort) {
    EXPECT_TRUE(SendRequest(no_node, {}, Packet(0)).routed());
    EXPECT_TRUE(SendRequest(0xFFFFFFFF, {}, Packet(0)).routed());
    EXPECT_EQ(SendRequest(NodeId{1} << 32, {}, Packet(0)).to(), 0xFFFFFFFEU);
    EXPECT_FALSE(SendRequest(3, Packet(0)).routed());
}

}  // namespace
}  // namespace kport
