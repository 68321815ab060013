/// @file node_test.cpp   A node at first and at its end: values, programs that call others, and what it gives back.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "emulator/node/message.hpp"
#include "tests/node/a_node.hpp"

namespace kport {
namespace {

using test::ANode;
using test::receive_from_4;
using test::receive_then_by_port_1;
using testing::ElementsAre;

TEST_F(ANode, IsEmptyAtFirst) {
    EXPECT_EQ(waiting(), Waiting::nothing);
    EXPECT_FALSE(NodeAccess::scheduled(node));
    EXPECT_FALSE(NodeAccess::holds(node));
    EXPECT_EQ(NodeAccess::held(node), 0U);
    EXPECT_EQ(NodeAccess::send_round(node), 0U);
    EXPECT_EQ(NodeAccess::sends(node, 0), 0U);
    EXPECT_TRUE(NodeAccess::arrivals(node).empty());
    EXPECT_EQ(node.id(), 3U);
    EXPECT_EQ(node.topology().spec(), "ring:8");
    EXPECT_EQ(node.round(), 0U);
    host.set_round(5);
    EXPECT_EQ(node.round(), 5U);
}

TEST(AMessage, HoldsAPacketABodyOrAnElement) {
    Message message{};
    message.content = Message::content_of(Packet(12));
    EXPECT_TRUE(message.has_packet());
    EXPECT_FALSE(message.has_element());
    EXPECT_FALSE(message.has_body());
    EXPECT_EQ(message.packet().id(), 12U);
    const Element element{{3}, 17};
    message.content = reinterpret_cast<std::uintptr_t>(&element) + 1;
    EXPECT_TRUE(message.has_element());
    EXPECT_FALSE(message.has_packet());
    EXPECT_EQ(&message.element(), &element);
    FramePool pool;
    Body* body = Body::make({}, 8, pool);
    message.content = reinterpret_cast<std::uintptr_t>(body);
    EXPECT_FALSE(message.has_element());
    EXPECT_FALSE(message.has_packet());
    EXPECT_TRUE(message.has_body());
    EXPECT_EQ(message.body(), body);
    body->release(pool);
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
        const void* letter = &NodeAccess::arrivals(node).first();
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

}  // namespace
}  // namespace kport
