/// @file packet_blocks_test.cpp   Blocks of packets, walks through them, and the block of a hop, against plain std::set
///                                arithmetic.
///
/// Source   the definitions in emulator/schedule/packet_set.hpp.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/packet_words.hpp"
#include "emulator/schedule/transfer.hpp"
#include "tests/schedule/packet_sets.hpp"

namespace kport {
namespace {

using test::any_block;
using test::in_both;
using test::in_either;
using test::in_first_alone;
using test::Pairs;
using test::written_out;
using test::written_out_disjoint;

RC_GTEST_PROP(ABlock, IntersectsWithAnother, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const PacketBlock a = any_block();
        const PacketBlock b = any_block();
        const auto both = common(a, b);
        RC_ASSERT((both ? written_out(*both) : Pairs{}) == in_both(written_out(a), written_out(b)));
        RC_ASSERT(common_size({&a, 1}, {&b, 1}) == in_both(written_out(a), written_out(b)).size());
        RC_ASSERT(a.size() == written_out(a).size());
    }
}

RC_GTEST_PROP(ABlock, CoversAnotherIfItHasEveryPacketOfThat, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const PacketBlock a = any_block();
        PacketBlock b = any_block();
        if (*rc::gen::inRange(0, 2) == 0) b = {b.first, 1, 1, b.row};
        const bool every = in_both(written_out(a), written_out(b)) == written_out(b);
        RC_ASSERT(covers(a, b) == every);
        RC_ASSERT(PacketSet(a).covers({&b, 1}) == every);
    }
}

RC_GTEST_PROP(ABlock, OfOnePacketThatTwoHaveInCommonIsARange, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const PacketBlock a = any_block();
        const PacketBlock b = any_block();
        if (a.count == 1 || b.count == 1) continue;
        const auto both = common(a, b);
        if (both && both->is_one()) RC_ASSERT(both->is_range());
    }
}

RC_GTEST_PROP(ABlock, MinusAPartIsDisjointBlocks, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const PacketBlock whole = any_block();
        const auto part = common(whole, any_block());
        if (!part) continue;
        RC_ASSERT(written_out_disjoint(without(whole, *part)) ==
                  in_first_alone(written_out(whole), written_out(*part)));
    }
}

RC_GTEST_PROP(ABlock, UnitedWithADisjointOneHoldsExactlyTheirPackets, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const PacketBlock a = any_block();
        PacketBlock b = any_block();
        // Half of them side by side, which random blocks seldom are.
        if (*rc::gen::inRange(0, 2) == 0) {
            b = a;
            switch (*rc::gen::inRange(0, 4)) {
                case 0: b.first = a.columns().last() + a.stride; break;
                case 1: b.row = a.all_rows().last() + a.row_stride; break;
                case 2: b.first = a.first + 1; break;
                default: b.row = a.row + 1;
            }
        }
        if (common(a, b)) continue;
        const auto both = joined(a, b);
        const Pairs expected = in_either(written_out(a), written_out(b));
        if (both) RC_ASSERT(written_out(*both) == expected);
        if (both) RC_ASSERT(both->size() == expected.size());
        const auto turned = joined(b, a);
        RC_ASSERT(turned.has_value() == both.has_value());
        if (turned) RC_ASSERT(written_out(*turned) == expected);
    }
}

TEST(ABlock, UnitesWithItsNeighboursAndWithAnyOther) {
    EXPECT_EQ(joined(PacketBlock{0, 1, 3}, PacketBlock{3, 1, 2}), (PacketBlock{0, 1, 5}));
    EXPECT_EQ(joined(PacketBlock{3, 1, 2}, PacketBlock{0, 1, 3}), (PacketBlock{0, 1, 5}));
    EXPECT_EQ(joined(PacketBlock{0, 4, 3}, PacketBlock{2, 4, 2}), (PacketBlock{0, 2, 5}));
    EXPECT_EQ(joined(PacketBlock{5, 4, 3}, PacketBlock{7, 4, 3}), (PacketBlock{5, 2, 6}));
    EXPECT_EQ(joined(PacketBlock{5, 4, 2}, PacketBlock{7}), (PacketBlock{5, 2, 3}));
    EXPECT_EQ(joined(PacketBlock{5, 3, 2}, PacketBlock{11, 3, 2}), (PacketBlock{5, 3, 4}));
    EXPECT_EQ(joined(PacketBlock{5, 1, 2, 1, 2, 3}, PacketBlock{7, 1, 2, 1, 2, 3}), (PacketBlock{5, 1, 4, 1, 2, 3}));
    EXPECT_EQ(joined(PacketBlock{5, 3, 2, 1, 2, 3}, PacketBlock{11, 3, 2, 1, 2, 3}), (PacketBlock{5, 3, 4, 1, 2, 3}));
    EXPECT_EQ(joined(PacketBlock{5, 1, 1, 4}, PacketBlock{5, 9, 1, 6}), (PacketBlock{5, 1, 1, 4, 2, 2}))
        << "of one member any stride will do";
    EXPECT_EQ(joined(PacketBlock{7}, PacketBlock{4}), (PacketBlock{4, 3, 2}));
    EXPECT_EQ(joined(PacketBlock{0, 1, 3, 0}, PacketBlock{0, 1, 3, 5}), (PacketBlock{0, 1, 3, 0, 5, 2}));
    EXPECT_FALSE(joined(PacketBlock{0, 1, 3, 0}, PacketBlock{0, 1, 2, 1}));
    EXPECT_FALSE(joined(PacketBlock{0, 1, 3, 0}, PacketBlock{3, 1, 3, 1}));
}

/// Random ranges seldom meet at their ends.
PacketBlock any_range() {
    return {*rc::gen::inRange<std::uint32_t>(0, 4), 1, *rc::gen::inRange<std::uint32_t>(1, 4),
            *rc::gen::inRange<std::uint32_t>(0, 2)};
}

RC_GTEST_PROP(ABlock, CoversAnotherIfItHasAllItsPackets, ()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
        const bool ranges = *rc::gen::element(true, false);
        const PacketBlock a = ranges ? any_range() : any_block();
        const PacketBlock b = *rc::gen::element(true, false) ? any_range() : any_block();
        RC_ASSERT(covers(a, b) == in_first_alone(written_out(b), written_out(a)).empty());
        RC_ASSERT(common_size({&a, 1}, {&b, 1}) == in_both(written_out(a), written_out(b)).size());
        // What two ranges in one row that touch are, whichever comes first.
        if (neighbours(a, b)) RC_ASSERT(written_out(*joined(a, b)) == in_either(written_out(a), written_out(b)));
        RC_ASSERT(neighbours(a, b) == neighbours(b, a));
    }
}

TEST(ABlock, IsARangeIfItIsWholeAndOfOneRow) {
    EXPECT_TRUE((PacketBlock{3, 1, 5, 2}).is_range());
    EXPECT_FALSE((PacketBlock{3, 2, 5, 2}).is_range());
    EXPECT_FALSE((PacketBlock{3, 1, 5, 2, 1, 2}).is_range());
    EXPECT_TRUE(neighbours({3, 1, 5, 2}, {8, 1, 1, 2}));
    EXPECT_FALSE(neighbours({3, 1, 5, 2}, {9, 1, 1, 2}));
    EXPECT_FALSE(neighbours({3, 1, 5, 2}, {8, 1, 1, 3}));
}

TEST(AWalk, SkipsPacketsOutsideThePart) {
    const PacketWalk walk({0, 1, 4, 0, 1, 6}, {1, 2, 2, 1, 2, 3});
    EXPECT_EQ(walk.begin, 5U);
    EXPECT_EQ(walk.column_step, 2U);
    EXPECT_EQ(walk.row_step, 8U);
    EXPECT_EQ(PacketWalk({0, 1, 4, 0, 1, 6}, {2, 1, 1, 4}).begin, 18U);
}

RC_GTEST_PROP(AWalk, VisitsThePacketsOfAPartInTheOrderOfTheBlock, ()) {
    for (int repeat = 0; repeat < 10; ++repeat) {
        const PacketBlock block = any_block();
        const auto part = common(block, any_block());
        if (!part) continue;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> row_by_row;
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i)
                row_by_row.emplace_back(block.all_rows()[j], block.columns()[i]);
        const PacketWalk walk(block, *part);
        for (std::uint32_t j = 0; j < part->rows; ++j)
            for (std::uint32_t i = 0; i < part->count; ++i)
                RC_ASSERT(row_by_row.at(walk.begin + j * walk.row_step + i * walk.column_step) ==
                          std::pair(part->all_rows()[j], part->columns()[i]));
    }
}

TEST(APacketBlock, IsPacketZeroByDefault) { EXPECT_EQ(PacketBlock(), PacketBlock{0}); }

TEST(APacketBlock, NumbersItsPacketsRowByRow) {
    const PacketBlock block{3, 2, 4, 5, 6, 2};
    EXPECT_EQ(block.number(0, 0, 100), 503U);
    EXPECT_EQ(block.number(0, 2, 100), 507U);
    EXPECT_EQ(block.number(1, 3, 100), 1109U);
}

TEST(AHop, IsATransferOfOnePacketOverOneLink) {
    const Hop hop{3, 4, 1, 7};
    const HopTransfer as_transfer(hop);
    const Transfer& transfer = as_transfer;
    EXPECT_EQ(transfer.from, 3U);
    EXPECT_EQ(transfer.to, 4U);
    ASSERT_EQ(transfer.route.size(), 1U);
    EXPECT_EQ(transfer.route.front(), 1U);
    ASSERT_EQ(transfer.packets.size(), 1U);
    EXPECT_EQ(transfer.packets.front(), PacketBlock{7});
    EXPECT_EQ(Hop().packet, 0U);
}

TEST(APacketBlock, NumbersItsLowestPacketRowByRow) {
    EXPECT_EQ((PacketBlock{3, 2, 4, 5, 1, 2}).lowest(100), 503U);
    // The product needs more than 32 bits: an alltoall of 100 000 nodes has 10^10 packets.
    EXPECT_EQ((PacketBlock{7, 1, 1, 90'000}).lowest(100'000), 9'000'000'007U);
}

}  // namespace
}  // namespace kport
