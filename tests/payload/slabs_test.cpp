/// @file slabs_test.cpp   Memory that the pools of a run share: no byte twice, whole huge pages, little for few frames.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/payload/slabs.hpp"

namespace kport {
namespace {

constexpr std::size_t kibibyte = 1024;

/// Address space from the lowest byte to the highest of some blocks.
std::size_t extent(const std::vector<std::byte*>& blocks, std::size_t bytes) {
    const auto [lowest, highest] = std::ranges::minmax(blocks);
    return static_cast<std::size_t>(highest - lowest) + bytes;
}

TEST(Slabs, GiveNoByteTwiceWhateverThreadTakesIt) {
    Slabs slabs;
    constexpr std::size_t bytes = 4 * kibibyte;
    constexpr std::size_t pieces = 1000;
    std::vector<std::vector<std::byte*>> taken(4);
    {
        std::vector<std::jthread> threads;
        for (std::vector<std::byte*>& own : taken)
            threads.emplace_back([&] {
                for (std::size_t i = 0; i < pieces; ++i) {
                    own.push_back(slabs.take(bytes));
                    std::memset(own.back(), 1, bytes);
                }
            });
    }
    std::vector<std::byte*> all;
    for (const std::vector<std::byte*>& own : taken) all.insert(all.end(), own.begin(), own.end());
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all[i]) % Slabs::alignment, 0U);
        if (i == 0) continue;
        ASSERT_GE(all[i] - all[i - 1], static_cast<std::ptrdiff_t>(bytes));
    }
}

TEST(Slabs, OfALargeRunAreWholeHugePages) {
    constexpr std::size_t huge_page = 2048 * kibibyte;
    Slabs slabs;
    std::size_t in_whole_pages = 0;
    constexpr std::size_t bytes = 32 * kibibyte;
    constexpr std::size_t pieces = 1024;
    const std::byte* page = nullptr;  // of which all pieces so far have been taken
    std::size_t of_page = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::byte* piece = slabs.take(bytes);
        if (reinterpret_cast<std::uintptr_t>(piece) % huge_page == 0) {
            page = piece;
            of_page = 0;
        }
        if (page == nullptr || piece != page + of_page) continue;
        of_page += bytes;
        if (of_page == huge_page) in_whole_pages += huge_page;
    }
    EXPECT_GE(in_whole_pages, pieces * bytes - 4 * huge_page);
}

TEST(Slabs, OfManyPoolsWithFewFramesAreSmall) {
    Slabs slabs;
    std::vector<std::unique_ptr<FramePool>> pools;
    std::vector<std::byte*> frames;
    for (int i = 0; i < 16; ++i) {
        pools.push_back(std::make_unique<FramePool>(7, slabs));
        EXPECT_EQ(pools.back()->run(), 7U);
        frames.push_back(static_cast<std::byte*>(pools.back()->allocate(200)));
    }
    EXPECT_LE(extent(frames, 200), 64 * kibibyte) << "a page each, of one slab";
}

}  // namespace
}  // namespace kport
