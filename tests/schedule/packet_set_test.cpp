/// @file packet_set_test.cpp   Lists of blocks and sets of packets against plain std::set arithmetic.
///
/// Source   the definitions in emulator/schedule/packet_set.hpp.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/schedule/packet_sets.hpp"

namespace kport {
namespace {

using test::any_block;
using test::any_disjoint_blocks;
using test::in_both;
using test::in_either;
using test::in_first_alone;
using test::Pairs;
using test::write_out;
using test::written_out;
using test::written_out_disjoint;

RC_GTEST_PROP(Blocks, MinusOthersAreTheSetDifference, ()) {
    for (int repeat = 0; repeat < 10; ++repeat) {
        const PacketBlocks whole = any_disjoint_blocks(4);
        std::vector<PacketBlock> gone;  // these may overlap
        for (int left = *rc::gen::inRange(0, 4); left > 0; --left) gone.push_back(any_block());
        Pairs gone_pairs;
        for (const PacketBlock& block : gone) write_out(block, gone_pairs);
        RC_ASSERT(written_out_disjoint(without(span_of(whole), gone)) ==
                  in_first_alone(written_out_disjoint(whole), gone_pairs));
    }
}

RC_GTEST_PROP(Blocks, CountTheirIntersectionAsSetsDo, ()) {
    for (int repeat = 0; repeat < 10; ++repeat) {
        const PacketBlocks a = any_disjoint_blocks(4);
        const PacketBlocks b = any_disjoint_blocks(4);
        const Pairs pairs_a = written_out_disjoint(a);
        const Pairs pairs_b = written_out_disjoint(b);
        RC_ASSERT(common_size(span_of(a), span_of(b)) == in_both(pairs_a, pairs_b).size());
        RC_ASSERT(size_of(span_of(a)) == pairs_a.size());
    }
}

RC_GTEST_PROP(APacketSet, HoldsWhatWasAddedInDisjointBlocks, ()) {
    for (int repeat = 0; repeat < 10; ++repeat) {
        PacketSet set;
        Pairs expected;
        for (int left = *rc::gen::inRange(0, 16); left > 0; --left) {
            const PacketBlock block = any_block();
            const PacketBlocks fresh = without({&block, 1}, set.blocks());
            set.add(fresh);
            expected = in_either(expected, written_out(block));
            RC_ASSERT(written_out_disjoint(set.blocks()) == expected);
            RC_ASSERT(set.size() == expected.size());
            RC_ASSERT(set.empty() == expected.empty());
        }
    }
}

RC_GTEST_PROP(APacketSet, RemovesPacketsAndReturnsHowManyItHeld, ()) {
    for (int repeat = 0; repeat < 4; ++repeat) {
        const PacketBlocks blocks = any_disjoint_blocks(6);
        PacketSet set;
        set.add(blocks);
        const PacketBlocks gone = any_disjoint_blocks(4);
        const Pairs before = written_out_disjoint(blocks);
        RC_ASSERT(set.covers(span_of(gone)) == in_first_alone(written_out_disjoint(gone), before).empty());
        RC_ASSERT(set.remove(span_of(gone)) == in_both(before, written_out_disjoint(gone)).size());
        RC_ASSERT(written_out_disjoint(set.blocks()) == in_first_alone(before, written_out_disjoint(gone)));
        PacketSet rest = PacketBlock{1000};
        rest.add(set);
        RC_ASSERT(rest.size() == set.size() + 1);
        RC_ASSERT(rest.covers(set.blocks()));
    }
}

TEST(APacketSet, MergesABlockWithTheLastEightAndThenWithItsNewNeighbours) {
    PacketSet set;
    for (std::uint32_t i = 0; i < 9; ++i) set.add(PacketBlock{100 * i * i, 1, 10});
    EXPECT_EQ(set.blocks().size(), 9U) << "far from each other, and not as far as those before";
    set.add(PacketBlock{10, 1, 2});
    EXPECT_EQ(set.blocks().size(), 10U) << "the ninth from the end is not looked at";
    set.add(PacketBlock{410, 1, 2});
    EXPECT_EQ(set.blocks().size(), 10U) << "the eighth is";
    EXPECT_EQ(set.blocks().back(), (PacketBlock{400, 1, 12}));
    set.add(PacketBlock{910, 1, 690});
    EXPECT_EQ(set.blocks().size(), 9U) << "joined on both sides";
    EXPECT_EQ(set.blocks().back(), (PacketBlock{900, 1, 710}));
    EXPECT_EQ(set.size(), 9U * 10 + 4 + 690);
}

TEST(APacketSet, OfOneBlockJoinsIt) {
    PacketSet set = PacketBlock{5};
    set.add(PacketBlock{7});
    EXPECT_TRUE(set.is_block());
    EXPECT_EQ(set.block(), (PacketBlock{5, 2, 2}));
    set.add(PacketBlock{100, 1, 3});
    EXPECT_FALSE(set.is_block());
    EXPECT_EQ(set.blocks().size(), 2U);
}

TEST(APacketSet, BecomesOneBlock) {
    PacketSet set;
    EXPECT_FALSE(set.is_block());
    set.replace({3});
    EXPECT_TRUE(set.is_block());
    set.replace({4, 1, 2});
    EXPECT_EQ(set.block(), (PacketBlock{4, 1, 2}));
    set.add(PacketBlock{100, 1, 3});
    set.replace({7});
    EXPECT_EQ(set.size(), 1U);
    EXPECT_EQ(set.block(), PacketBlock{7});
    set.clear();
    EXPECT_TRUE(set.empty());
}

RC_GTEST_PROP(APacketSet, ThatGrowsByNeighboursIsOneBlock, (std::vector<bool> to_the_right)) {
    // As a partial result or a gathered segment grows, whichever side its next part comes from.
    std::uint32_t low = 1000;
    std::uint32_t high = 1001;
    PacketSet set = PacketSet::range(low, high);
    for (const bool right : to_the_right) {
        const std::uint32_t count = *rc::gen::inRange<std::uint32_t>(1, 5);
        if (right) {
            set.add(PacketBlock{high, 1, count});
            high += count;
        } else {
            set.add(PacketBlock{low - count, 1, count});
            low -= count;
        }
        RC_ASSERT(set.blocks().size() == 1U);
        RC_ASSERT(set.blocks().front() == (PacketBlock{low, 1, high - low}));
        RC_PRE(low > 10);
    }
}

TEST(APacketSet, OfARangeIsEmptyUnlessFirstIsBeforeLast) {
    EXPECT_EQ(PacketSet::range(3, 7).size(), 4U);
    EXPECT_TRUE(PacketSet::range(3, 3).empty());
    EXPECT_TRUE(PacketSet::range(4, 3).empty());
}

}  // namespace
}  // namespace kport
