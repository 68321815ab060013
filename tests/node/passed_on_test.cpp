/// @file passed_on_test.cpp   What a node has passed on, as blocks and ranges, against a set of packets one by one.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/node/passed_on.hpp"

namespace kport {
namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // (row, column)

std::set<Place> places_in(std::span<const PacketBlock> blocks) {
    std::set<Place> places;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) places.emplace(block.all_rows()[j], block.columns()[i]);
    return places;
}

constexpr std::uint32_t side = 24;

/// Rows and columns below `side`: mostly single packets and short ranges, so that there are many.
PacketBlock any_passed_block() {
    const auto first = *rc::gen::inRange<std::uint32_t>(0, side);
    const auto row = *rc::gen::inRange<std::uint32_t>(0, *rc::gen::element<std::uint32_t>(1, 3, side));
    const auto stride = *rc::gen::element<std::uint32_t>(1, 1, 1, 2, 3);
    const auto rows = *rc::gen::element<std::uint32_t>(1, 1, 1, 2);
    const auto most = std::min<std::uint32_t>((side - 1 - first) / stride + 1, 6);
    const auto count = *rc::gen::inRange<std::uint32_t>(1, most + 1);
    return {first, count == 1 ? 1 : stride, count, row, 1, rows};
}

RC_GTEST_PROP(PassedOnPackets, AreThoseThatWerePassedAndDidNotComeBack, ()) {
    FramePool pool;
    constexpr NodeId v = 2;
    PassedOn passed_on(4);
    std::set<Place> gone;
    for (int left = *rc::gen::inRange(0, 60); left > 0; --left) {
        const PacketBlock block = any_passed_block();
        const std::set<Place> places = places_in({&block, 1});
        std::set<Place> found;
        std::set_intersection(places.begin(), places.end(), gone.begin(), gone.end(),
                              std::inserter(found, found.end()));
        const PacketBlocks among = passed_on.among(v, {&block, 1});
        RC_ASSERT(places_in(span_of(among)) == found);
        RC_ASSERT(size_of(span_of(among)) == found.size());
        if (*rc::gen::inRange(0, 5) == 0) {
            passed_on.received(v, {&block, 1});
            for (const Place& place : places) gone.erase(place);
        } else {
            const PacketBlocks fresh = without({&block, 1}, span_of(among));
            passed_on.add(v, 7, span_of(fresh), pool);
            gone.insert(places.begin(), places.end());
        }
        RC_ASSERT(passed_on.among(1, {&block, 1}).empty());
    }
    passed_on.forget(v, pool);
    const PacketBlock all{0, 1, side, 0, 1, side + 1};
    RC_ASSERT(passed_on.among(v, {&all, 1}).empty());
    passed_on.forget(v, pool);
}

TEST(PassedOnPackets, HaveTheRoundsInWhichTheyWerePassed) {
    FramePool pool;
    PassedOn passed_on(1);
    const PacketBlock first{3};
    const PacketBlock second{9};
    passed_on.add(0, 2, {&first, 1}, pool);
    EXPECT_EQ(passed_on.rounds(0).first, 2U);
    EXPECT_EQ(passed_on.rounds(0).last, 2U);
    passed_on.add(0, 5, {&second, 1}, pool);
    EXPECT_EQ(passed_on.rounds(0).first, 2U);
    EXPECT_EQ(passed_on.rounds(0).last, 5U);
    passed_on.forget(0, pool);
}

}  // namespace
}  // namespace kport
