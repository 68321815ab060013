/// @file large_blocks_test.cpp   Memory for large bodies: no byte twice, and what came back is used again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/large_blocks.hpp"
#include "emulator/payload/slabs.hpp"

namespace kport {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

RC_GTEST_PROP(LargeBlocks, GiveNoByteTwice, ()) {
    struct Taken {
        unsigned char* memory;
        std::size_t bytes;
        unsigned char mark;
    };
    LargeBlocks blocks;
    std::vector<Taken> taken;
    for (int step = 0; step < 100; ++step) {
        if (taken.empty() || *rc::gen::inRange(0, 5) < 3) {
            const auto bytes = *rc::gen::inRange<std::size_t>(1, 10'000);
            const std::size_t alignment = std::size_t{1} << *rc::gen::inRange(4, 9);
            void* memory = blocks.take(bytes, alignment);
            const bool is_there = memory != nullptr && blocks.owns(memory);
            RC_ASSERT(is_there);
            RC_ASSERT(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0U);
            const auto mark = static_cast<unsigned char>(step);
            taken.push_back({static_cast<unsigned char*>(std::memset(memory, mark, bytes)), bytes, mark});
        } else {
            const auto which = *rc::gen::inRange<std::size_t>(0, taken.size());
            const Taken one = taken[which];
            RC_ASSERT(std::count(one.memory, one.memory + one.bytes, one.mark) ==
                      static_cast<std::ptrdiff_t>(one.bytes));
            blocks.give_back(one.memory);
            taken[which] = taken.back();
            taken.pop_back();
        }
    }
}

TEST(LargeBlocks, JoinWhatCameBackSoThatALargerBlockHasRoom) {
    LargeBlocks blocks;
    void* first = blocks.take(mebibyte);
    void* second = blocks.take(mebibyte);
    void* last = blocks.take(mebibyte);
    blocks.give_back(first);
    blocks.give_back(second);
    EXPECT_EQ(blocks.take(2 * mebibyte), std::min(first, second));
    EXPECT_NE(last, nullptr);
    EXPECT_FALSE(blocks.owns(&blocks));
}

TEST(LargeBlocks, RefuseMoreThanTheyHave) {
    LargeBlocks blocks;
    EXPECT_EQ(blocks.take(std::size_t{1} << 60), nullptr);
    EXPECT_NE(blocks.take(mebibyte), nullptr);
}

TEST(Slabs, OfALargeRunUseAgainWhatCameBackForBlocksAndForPieces) {
    Slabs slabs;
    std::vector<std::byte*> large;
    for (int i = 0; i < 16; ++i) {
        large.push_back(static_cast<std::byte*>(slabs.take_large(4 * mebibyte)));
        std::memset(large.back(), i, 4 * mebibyte);
    }
    const std::vector<std::byte*> in_one_stretch(large.begin() + 4, large.end());
    const auto [lowest, highest] = std::ranges::minmax(in_one_stretch);
    const auto is_used_again = [&](const std::byte* memory) {
        return memory >= lowest && memory < highest + 4 * mebibyte;
    };
    for (std::byte* block : large) slabs.give_back(block);
    auto* smaller = static_cast<std::byte*>(slabs.take_large(3 * mebibyte));
    EXPECT_TRUE(is_used_again(smaller));
    EXPECT_TRUE(is_used_again(slabs.take(4096)));
    slabs.give_back(smaller);
}

}  // namespace
}  // namespace kport
