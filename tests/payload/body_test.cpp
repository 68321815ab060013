/// @file body_test.cpp   Bodies of messages: reference counts, and values that share them.
#include <array>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/node/bundle.hpp"

namespace kport {
namespace {

constexpr PacketBlock two_blocks[] = {{4, 2, 3}, {1}};

/// Values give bodies back to the pool of the running task.
class ABody : public testing::Test {
  protected:
    ABody() { running.pool = &pool; }
    ~ABody() override { running = {}; }

    [[nodiscard]] Body* make() {
        Body* body = Body::make(two_blocks, 8, pool);
        std::memcpy(body->bytes(), "12345678", 8);
        return body;
    }
    /// Whether a body's memory is back: then the next one gets it.
    [[nodiscard]] bool is_back(const Body* body) {
        Body* next = make();
        const bool same = next == body;
        next->release(pool);
        return same;
    }

    FramePool pool;
};

TEST_F(ABody, IsCopiedWithItsPacketsAndItsBytes) {
    Body* body = make();
    Body* copy = Body::copy(*body, pool);
    EXPECT_NE(copy, body);
    ASSERT_EQ(copy->blocks().size(), 2U);
    EXPECT_EQ(copy->blocks()[0], two_blocks[0]);
    EXPECT_EQ(copy->blocks()[1], two_blocks[1]);
    EXPECT_EQ(copy->byte_count(), 8U);
    EXPECT_EQ(std::memcmp(copy->bytes(), "12345678", 8), 0);
    body->release(pool);
    copy->release(pool);
}

TEST_F(ABody, EndsWithItsLastReference) {
    Body* body = make();
    body->hold();
    body->hold();
    body->release(pool);
    EXPECT_FALSE(is_back(body));
    body->release(pool);
    EXPECT_FALSE(is_back(body));
    body->release(pool);
    EXPECT_TRUE(is_back(body));
}

TEST_F(ABody, WhoseBytesStandInAnotherKeepsItAlive) {
    Body* owner = make();
    Body* part = Body::sharing(*owner, std::span(two_blocks).first(1), 2, 5, pool);
    Body* of_part = Body::sharing(*part, two_blocks, 1, 3, pool);
    EXPECT_EQ(part->blocks().size(), 1U);
    EXPECT_EQ(of_part->blocks().size(), 2U);
    owner->release(pool);
    part->release(pool);
    EXPECT_FALSE(is_back(owner));
    ASSERT_EQ(of_part->byte_count(), 3U);
    EXPECT_EQ(std::memcmp(of_part->bytes(), "456", 3), 0);
    of_part->release(pool);
    const std::array<Body*, 2> next{make(), make()};  // that of the part may come first
    EXPECT_THAT(next, testing::Contains(owner));
    for (Body* body : next) body->release(pool);
}

TEST_F(ABody, IsSharedByTheCopiesOfAValue) {
    Body* body = make();
    {
        const Value first(body);
        Value second;
        {
            const Value copy(first);
            second = copy;
        }
        EXPECT_EQ(second.body(), body);
        EXPECT_EQ(second.contributions().size(), 4U);
        EXPECT_FALSE(is_back(body));
        Value moved(std::move(second));
        EXPECT_EQ(moved.body(), body);
        moved = Value();
        EXPECT_EQ(moved.body(), nullptr);
        EXPECT_TRUE(moved.contributions().empty());
        EXPECT_FALSE(is_back(body)) << "the first still holds it";
    }
    EXPECT_TRUE(is_back(body));
}

TEST_F(ABody, IsAbsentInAValueOfOneElement) {
    const Value element(Element{{3, 2, 4}, 17});
    EXPECT_TRUE(element.is_element());
    EXPECT_EQ(element.body(), nullptr);
    EXPECT_EQ(element.contributions().blocks().front(), (PacketBlock{3, 2, 4}));
    Value other(make());
    other = element;
    EXPECT_TRUE(other.is_element());
    EXPECT_EQ(other.element().bits, 17U);
    EXPECT_EQ(other.element().contributions, (Progression{3, 2, 4}));
    other = Value(Element{{5}, 18});
    EXPECT_EQ(other.element().contributions, Progression{5});
    other = Value(make());
    EXPECT_FALSE(other.is_element());
    EXPECT_NE(other.body(), nullptr);
}

TEST(ACargo, IsPacketZeroByDefault) {
    EXPECT_EQ(Cargo().kind(), Cargo::Kind::packet);
    EXPECT_EQ(Cargo().packet().id(), 0U);
    EXPECT_EQ(Packet().id(), 0U);
    EXPECT_EQ(Element().bits, 0U);
}

}  // namespace
}  // namespace kport
