/// @file packet_bits_test.cpp   Sets of many blocks, which are bits where they lie close, against plain std::set arithmetic.
///
/// Source   the definitions in emulator/schedule/packet_set.hpp and packet_bits.hpp.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/schedule/packet_bits.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "tests/schedule/packet_sets.hpp"

namespace kport {
namespace {

using test::in_both;
using test::in_either;
using test::in_first_alone;
using test::Pairs;
using test::write_out;
using test::written_out_disjoint;

/// Disjoint blocks in no order: usually short ranges, close together or far apart, in one row or several, or few of
/// them.
PacketBlocks any_scattered_blocks() {
    const std::uint32_t gaps = *rc::gen::element(2U, 3U, 10U, 2000U);
    const std::uint32_t rows = *rc::gen::element(1U, 1U, 3U);
    const auto most = *rc::gen::element(3U, 20U, 60U, 150U);
    const bool strided = *rc::gen::inRange(0, 4) == 0;
    std::vector<PacketBlock> blocks;
    for (std::uint32_t row = *rc::gen::inRange(0U, 3U), end = row + rows; row < end; ++row) {
        std::uint32_t at = *rc::gen::inRange(0U, 130U);
        for (std::uint32_t left = *rc::gen::inRange(0U, most); left > 0; --left) {
            const std::uint32_t stride = strided ? *rc::gen::inRange(1U, 3U) : 1;
            const std::uint32_t count = *rc::gen::element(1U, 1U, 2U, 7U, 70U);
            blocks.push_back({at, stride, count, row});
            at += stride * count + *rc::gen::inRange(1U, gaps);
        }
    }
    PacketBlocks shuffled;
    while (!blocks.empty()) {
        std::swap(blocks[*rc::gen::inRange<std::size_t>(0, blocks.size())], blocks.back());
        shuffled.push_back(blocks.back());
        blocks.pop_back();
    }
    return shuffled;
}

Pairs pairs_of(const PacketBlocks& blocks) { return written_out_disjoint(blocks); }
Pairs pairs_of(const PacketSet& set) { return written_out_disjoint(set.blocks()); }

void require_equal(const PacketSet& set, const Pairs& expected) {
    RC_ASSERT(pairs_of(set) == expected);
    RC_ASSERT(set.size() == expected.size());
    RC_ASSERT(set.empty() == expected.empty());
    constexpr NodeId a_row = 1U << 20;
    RC_ASSERT(lowest_of(set, a_row) ==
              (expected.empty() ? 0 : expected.begin()->first * a_row + expected.begin()->second));
}

RC_GTEST_PROP(APacketSetOfAnyForm, AddsIncludesAndRemovesAsSetsDo, ()) {
    PacketSet set;
    Pairs expected;
    for (int left = *rc::gen::inRange(1, 8); left > 0; --left) {
        const PacketBlocks blocks = any_scattered_blocks();
        const Pairs pairs = pairs_of(blocks);
        PacketSet others;
        others.add(blocks);
        switch (*rc::gen::inRange(0, 8)) {
            case 0:
                set.add(without(span_of(blocks), set));
                expected = in_either(expected, pairs);
                break;
            case 1:
                for (const PacketBlock& block : without(span_of(blocks), set)) set.add(block);
                expected = in_either(expected, pairs);
                break;
            case 2:
                set.include(span_of(blocks));
                expected = in_either(expected, pairs);
                break;
            case 3:
                set.include(others);
                expected = in_either(expected, pairs);
                break;
            case 4:
                set.keep(others);
                expected = in_both(expected, pairs);
                break;
            case 5:
                RC_ASSERT(set.remove(span_of(blocks)) == in_both(expected, pairs).size());
                expected = in_first_alone(expected, pairs);
                break;
            default:
                RC_ASSERT(set.remove(others) == in_both(expected, pairs).size());
                expected = in_first_alone(expected, pairs);
        }
        require_equal(set, expected);
        require_equal(others, pairs);
    }
}

RC_GTEST_PROP(APacketSetOfAnyForm, IsComparedWithBlocksAsSetsAre, ()) {
    const PacketBlocks a = any_scattered_blocks();
    const PacketBlocks b = any_scattered_blocks();
    const Pairs pairs_a = pairs_of(a);
    const Pairs pairs_b = pairs_of(b);
    PacketSet set;
    set.add(b);
    RC_ASSERT(common_size(span_of(a), set) == in_both(pairs_a, pairs_b).size());
    RC_ASSERT(pairs_of(in_both(span_of(a), set)) == in_both(pairs_a, pairs_b));
    RC_ASSERT(pairs_of(without(span_of(a), set)) == in_first_alone(pairs_a, pairs_b));
    RC_ASSERT(set.covers(span_of(a)) == in_first_alone(pairs_a, pairs_b).empty());
    RC_ASSERT(set.covers(span_of(in_both(span_of(a), set))));
    // And two lists.
    RC_ASSERT(common_size(span_of(a), span_of(b)) == in_both(pairs_a, pairs_b).size());
    RC_ASSERT(pairs_of(in_both(span_of(a), span_of(b))) == in_both(pairs_a, pairs_b));
    RC_ASSERT(pairs_of(without(span_of(a), span_of(b))) == in_first_alone(pairs_a, pairs_b));
    PacketBlocks both = a;
    both.insert(both.end(), b.begin(), b.end());
    RC_ASSERT(common_to_two(span_of(both)).has_value() != in_both(pairs_a, pairs_b).empty());
    RC_ASSERT(!common_to_two(span_of(a)));
}

RC_GTEST_PROP(BlocksOfSeveralRows, MeetWhereTheirPacketsDo, ()) {
    PacketBlocks blocks;
    std::size_t packets = 0;
    Pairs all;
    for (int left = *rc::gen::inRange(1, 9); left > 0; --left) {
        const PacketBlock block{*rc::gen::inRange(0U, 40U), *rc::gen::inRange(1U, 4U), *rc::gen::inRange(1U, 4U),
                                *rc::gen::inRange(0U, 6U),  *rc::gen::inRange(1U, 3U), *rc::gen::inRange(1U, 5U)};
        blocks.push_back(block);
        packets += block.size();
        all = in_either(all, written_out_disjoint(PacketBlocks{block}));
    }
    RC_ASSERT(common_to_two(span_of(blocks)).has_value() == (all.size() < packets));
}

RC_GTEST_PROP(APacketSetOfAnyForm, IsCopiedAndMoved, ()) {
    const PacketBlocks blocks = any_scattered_blocks();
    const Pairs pairs = pairs_of(blocks);
    PacketSet set;
    set.add(blocks);
    PacketSet copy = set;
    copy.remove(PacketSet(PacketBlock{0, 1, 100, 0, 1, 5}));
    require_equal(set, pairs);
    PacketSet moved = std::move(set);
    require_equal(moved, pairs);
    copy = moved;
    moved.clear();
    require_equal(moved, {});
    require_equal(copy, pairs);
    RC_ASSERT(copy.remove(copy) == pairs.size());
    RC_ASSERT(copy.empty());
}

/// Every other packet from 0 on, as blocks of one.
PacketBlocks every_other(std::uint32_t count, std::uint32_t step = 2) {
    PacketBlocks blocks;
    for (std::uint32_t i = 0; i < count; ++i) blocks.push_back({i * step});
    return blocks;
}

TEST(PacketBits, AreTheBetterFormOfManyRangesThatLieCloseAndOfNothingElse) {
    EXPECT_TRUE(PacketBits::of(span_of(every_other(9))));
    EXPECT_FALSE(PacketBits::of(span_of(every_other(4)))) << "few";
    EXPECT_FALSE(PacketBits::of(span_of(every_other(9, 1000)))) << "far apart";
    PacketBlocks blocks = every_other(9);
    blocks.push_back({100, 2, 30});
    EXPECT_FALSE(PacketBits::of(span_of(blocks))) << "30 pieces of one block";
    PacketBlocks of_8_rows = every_other(9);
    for (PacketBlock& block : of_8_rows) block.rows = 8;
    EXPECT_FALSE(PacketBits::of(span_of(of_8_rows))) << "8 pieces of each";
    of_8_rows = every_other(64);
    for (PacketBlock& block : of_8_rows) block.rows = 8;
    EXPECT_TRUE(PacketBits::of(span_of(of_8_rows))) << "a list as long takes longer";
    blocks.back() = {2};
    EXPECT_FALSE(PacketBits::of(span_of(blocks))) << "no set";
    blocks.back() = {100, 0, 3};
    EXPECT_FALSE(PacketBits::of(span_of(blocks))) << "steps of 0";
    blocks.back() = {100, 1, 0};
    EXPECT_FALSE(PacketBits::of(span_of(blocks))) << "no packet";
    blocks.back() = {0xFFFFFFFE, 1, 4};
    EXPECT_FALSE(PacketBits::of(span_of(blocks))) << "beyond the last column";
}

TEST(APacketSet, OfManyBlocksStillReportsWhatIsNoSet) {
    PacketSet set;
    set.add(every_other(30));
    EXPECT_FALSE(common_to_two(set.blocks()));
    set.add(PacketBlock{4});
    EXPECT_TRUE(common_to_two(set.blocks()));
    for (const PacketBlock& mistake : {PacketBlock{100, 0, 3}, PacketBlock{100, 1, 0}}) {
        PacketSet other;
        other.add(every_other(30));
        other.add(mistake);
        EXPECT_EQ(other.blocks().back(), mistake);
    }
}

TEST(APacketSet, ThatIsFilledUpIsOneBlockForAMessage) {
    PacketSet set;
    set.add(every_other(50));
    EXPECT_EQ(set.blocks().size(), 50U);
    for (std::uint32_t column = 1; column < 100; column += 2) set.add(PacketBlock{column});
    ASSERT_EQ(set.blocks().size(), 1U);
    EXPECT_EQ(set.blocks().front(), (PacketBlock{0, 1, 100}));
}

TEST(APacketSet, OfStridedBlocksKeepsThem) {
    PacketSet set;
    for (std::uint32_t row = 0; row < 20; ++row) set.add(PacketBlock{row * row % 7, 5 + row % 3, 10, 3 * row});
    EXPECT_LE(set.blocks().size(), 20U);
    EXPECT_EQ(set.size(), 200U);
}

}  // namespace
}  // namespace kport
