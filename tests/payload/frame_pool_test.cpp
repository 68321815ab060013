/// @file frame_pool_test.cpp   Memory for frames: reused at once, never given twice at a time.
#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/slabs.hpp"

namespace kport {
namespace {

TEST(FramePool, GivesABlockAgainAsSoonAsItIsBack) {
    FramePool pool;
    void* first = pool.allocate(100);
    void* second = pool.allocate(100);
    EXPECT_NE(first, second);
    pool.deallocate(first, 100);
    EXPECT_EQ(pool.allocate(100), first);
    pool.deallocate(second, 100);
    pool.deallocate(first, 100);
    EXPECT_EQ(pool.allocate(97), first) << "of the same class of sizes";
}

TEST(FramePool, KeepsTheLargestBlocksToo) {
    FramePool pool;
    void* largest = pool.allocate(2048);
    pool.deallocate(largest, 2048);
    EXPECT_EQ(pool.allocate(2048), largest);
    pool.deallocate(largest, 2048);
}

TEST(FramePool, KeepsTheLargeBlockOfAPowerOfTwoThatCameBackLast) {
    constexpr std::size_t kibibyte = 1024;
    FramePool pool;
    void* first = pool.allocate(16 * kibibyte);
    void* second = pool.allocate(17 * kibibyte);
    void* smaller = pool.allocate(15 * kibibyte);
    pool.deallocate(first, 16 * kibibyte);
    pool.deallocate(smaller, 15 * kibibyte);
    EXPECT_EQ(pool.allocate(16 * kibibyte), first);
    EXPECT_EQ(pool.allocate(15 * kibibyte), smaller);
    pool.deallocate(first, 16 * kibibyte);
    pool.deallocate(second, 17 * kibibyte);
    EXPECT_EQ(pool.allocate(17 * kibibyte), second);
    pool.deallocate(second, 17 * kibibyte);
    void* other = pool.allocate(16 * kibibyte + 1);
    EXPECT_NE(other, second) << "of another size";
    std::memset(other, 1, 16 * kibibyte + 1);
    pool.deallocate(other, 16 * kibibyte + 1);
    pool.deallocate(smaller, 15 * kibibyte);
}

TEST(FramePool, KeepsNothingOfWhatIsVeryLarge) {
    const auto allocated = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };  // sanitizers count nothing here
    FramePool pool;
    for (const std::size_t bytes : {1UL << 20, 1UL << 30}) {
        const std::size_t before = allocated();
        void* block = pool.allocate(bytes);
        *static_cast<std::byte*>(block) = std::byte{1};
        pool.deallocate(block, bytes);
        EXPECT_LT(allocated(), before + bytes) << bytes;
    }
}

TEST(FramePool, AlignsForAnyFrame) {
    FramePool pool;
    for (const std::size_t bytes : {1UL, 8UL, 16UL, 17UL, 100UL, 2048UL, 2049UL, 100'000UL}) {
        void* block = pool.allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U) << bytes;
        pool.deallocate(block, bytes);
    }
}

TEST(FramePool, ServesManyBlocksOfAMachine) {
    FramePool pool;
    std::vector<void*> blocks;
    for (int i = 0; i < 100'000; ++i) {
        blocks.push_back(pool.allocate(112));
        std::memset(blocks.back(), i & 0xFF, 112);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) ASSERT_EQ(static_cast<unsigned char*>(blocks[i])[111], i & 0xFF);
    for (void* block : blocks) pool.deallocate(block, 112);
}

TEST(FramePool, TakesBlocksOfAnotherPool) {
    FramePool one;
    FramePool other;
    void* block = one.allocate(64);
    other.deallocate(block, 64);
    EXPECT_EQ(other.allocate(64), block);
    other.deallocate(block, 64);
}

RC_GTEST_PROP(FramePool, NeverGivesTheSameByteTwiceAtATime, ()) {
    FramePool pool;
    std::map<unsigned char*, std::size_t> live;
    for (int left = *rc::gen::inRange(0, 200); left > 0; --left) {
        if (!live.empty() && *rc::gen::inRange(0, 3) == 0) {
            const auto which = std::next(live.begin(), *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(live)));
            RC_ASSERT(which->first[0] == (which->second & 0xFF));
            RC_ASSERT(which->first[which->second - 1] == (which->second & 0xFF));
            pool.deallocate(which->first, which->second);
            live.erase(which);
            continue;
        }
        const auto bytes = *rc::gen::inRange<std::size_t>(1, 3000);
        auto* block = static_cast<unsigned char*>(pool.allocate(bytes));
        const auto after = live.lower_bound(block);
        RC_ASSERT((after == live.end() || block + bytes <= after->first));
        RC_ASSERT((after == live.begin() || std::prev(after)->first + std::prev(after)->second <= block));
        std::memset(block, static_cast<int>(bytes & 0xFF), bytes);
        live[block] = bytes;
    }
    for (const auto& [block, bytes] : live) pool.deallocate(block, bytes);
}

}  // namespace
}  // namespace kport
