/// @file memory_test.cpp   The nodes' bytes: moved unchanged, and every difference found.
#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/random.hpp"
#include "emulator/payload/packet_bytes.hpp"
#include "emulator/payload/packet_places.hpp"

namespace kport {
namespace {

TEST(PacketMemory, HoldsNothingUnlessItIsMadeTo) {
    EXPECT_FALSE(PacketMemory().holds_bytes());
    EXPECT_FALSE(PacketMemory(4, 0, 1, 7).holds_bytes());
    EXPECT_TRUE(PacketMemory(4, 1, 1, 7).holds_bytes());
}

TEST(PacketMemory, FillsTheSourceFromTheSeed) {
    const PacketMemory one(3, 24, 2, 7);
    const PacketMemory same(3, 24, 2, 7);
    const PacketMemory other(3, 24, 2, 8);
    EXPECT_EQ(std::memcmp(one.at(2), same.at(2), 24), 0);
    EXPECT_NE(std::memcmp(one.at(2), other.at(2), 24), 0);
}

TEST(PacketMemory, FillsTheSourceWithTheBytesOfPacketZero) {
    const PacketMemory memory(3, 24, 2, 7);
    EXPECT_EQ(PacketBytes(7).first_difference({memory.at(2), 24}, 0), std::nullopt);
}

TEST(PacketBytes, AreTheWordsOfThePacketAndEndWhereTheyShould) {
    for (std::size_t size = 0; size <= 20; ++size) {
        std::array<std::byte, 32> bytes{};
        bytes.fill(std::byte{0xEE});
        PacketBytes(7).fill({bytes.data(), size}, 5, 16);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const std::uint64_t word = random_word(7, 5, 2 + i / 8);
            const std::byte expected = i < size ? reinterpret_cast<const std::byte*>(&word)[i % 8] : std::byte{0xEE};
            EXPECT_EQ(bytes[i], expected) << i << " of " << size;
        }
        EXPECT_EQ(PacketBytes(7).first_difference({bytes.data(), size}, 5, 16), std::nullopt);
        if (size == 0) continue;
        bytes[size - 1] ^= std::byte{1};
        EXPECT_EQ(PacketBytes(7).first_difference({bytes.data(), size}, 5, 16), size - 1);
    }
}

TEST(PacketMemory, HoldsAsManyBytesForEachOfManyNodes) {
    PacketMemory memory(4096, 4096, 0, 7);
    memory.move(0, 4095);
    EXPECT_TRUE(memory.intact(4095));
    EXPECT_FALSE(memory.intact(4094));
    memory.spoil();
    EXPECT_FALSE(memory.intact(4095));
    EXPECT_EQ(PacketBytes(7).first_difference({memory.at(0), 4096}, 0), std::nullopt);
}

TEST(PacketMemory, CorruptedHoldsThePacketOnlyAtItsSource) {
    PacketMemory memory(3, 8, 1, 5);
    memory.move(1, 0);
    memory.spoil();
    EXPECT_TRUE(memory.intact(1));
    EXPECT_FALSE(memory.intact(0) || memory.intact(2));
    memory.move(1, 0);
    EXPECT_TRUE(memory.intact(0));
}

RC_GTEST_PROP(PacketMemory, FindsTheFirstByteThatDiffers, ()) {
    const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 70);
    PacketMemory memory(4, bytes, 1, 5);
    memory.move(1, 3);
    memory.move(3, 0);
    RC_ASSERT(memory.intact(0) && memory.intact(3) && memory.intact(1));
    RC_ASSERT(!memory.first_difference(0) && !memory.first_difference(1));
    const auto at = *rc::gen::inRange<std::uint64_t>(0, bytes);
    memory.at(0)[at] ^= std::byte{1};
    memory.at(0)[bytes - 1] ^= std::byte{2};
    RC_ASSERT(!memory.intact(0));
    RC_ASSERT(memory.first_difference(0) == at);
    RC_ASSERT(memory.intact(3));
}

}  // namespace
}  // namespace kport
