/// @file batches_test.cpp   A list that only grows: order, stable addresses, reuse of memory.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/batches.hpp"

namespace kport {
namespace {

std::vector<std::uint64_t> members(const Batches<std::uint64_t>& batches) {
    std::vector<std::uint64_t> all;
    batches.for_each([&](std::span<const std::uint64_t> batch) { all.insert(all.end(), batch.begin(), batch.end()); });
    return all;
}

TEST(Batches, AreUntouchedUntilTheFirstMember) {
    Batches<std::uint64_t> batches;
    EXPECT_TRUE(batches.untouched());
    EXPECT_FALSE(batches.has_room());
    EXPECT_TRUE(members(batches).empty());
    batches.add(7);
    EXPECT_FALSE(batches.untouched());
    EXPECT_TRUE(batches.has_room());
    batches.restart();
    EXPECT_TRUE(batches.untouched());
    EXPECT_FALSE(batches.has_room());
    EXPECT_TRUE(members(batches).empty());
}

RC_GTEST_PROP(Batches, KeepTheirMembersInOrderAndWhereTheyStand, ()) {
    Batches<std::uint64_t> batches;
    const std::uint64_t* first_ever = nullptr;
    for (int rounds = *rc::gen::inRange(1, 5); rounds > 0; --rounds) {
        const auto count = *rc::gen::element<std::uint64_t>(0, 1, 63, 64, 65, 191, 192, 193, 1000);
        std::vector<std::uint64_t> expected;
        std::vector<const std::uint64_t*> places;
        for (std::uint64_t i = 0; i < count; ++i) {
            expected.push_back(i * 3 + static_cast<std::uint64_t>(rounds));
            places.push_back(&batches.add(expected.back()));
            RC_ASSERT(batches.end() == places.back() + 1);
        }
        RC_ASSERT(members(batches) == expected);
        for (std::uint64_t i = 0; i < count; ++i) RC_ASSERT(*places[i] == expected[i]);
        if (count > 0) {
            // The memory of an earlier round is used again.
            if (first_ever == nullptr) first_ever = places.front();
            RC_ASSERT(places.front() == first_ever);
        }
        batches.restart();
    }
}

TEST(Batches, OfDifferentRoundsShareTheMemoryThatTheyGiveBack) {
    BatchMemory<std::uint64_t> memory;
    Batches<std::uint64_t> one;
    Batches<std::uint64_t> other;
    one.share(memory);
    other.share(memory);
    const std::uint64_t* first = &one.add(1);
    for (std::uint64_t i = 2; i <= 200; ++i) one.add(i);
    EXPECT_NE(&other.add(7), first) << "both are in use";
    EXPECT_EQ(members(one).size(), 200U);
    EXPECT_EQ(members(other), std::vector<std::uint64_t>{7});
    other.restart();
    one.restart();
    EXPECT_EQ(&other.add(8), first) << "what was given back last";
    EXPECT_TRUE(one.untouched());
    EXPECT_EQ(members(other), std::vector<std::uint64_t>{8});
}

}  // namespace
}  // namespace kport
