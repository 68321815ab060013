/// @file packet_set_test.cpp   Sets of packets against plain std::set arithmetic, on small random progressions and blocks.
///
/// Source   the definitions in emulator/schedule/packet_set.hpp; the sets here are written out number by number.
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/packet_walk.hpp"
#include "emulator/schedule/transfer.hpp"

namespace kport {

// How RapidCheck shows a counterexample.
static void showValue(const Progression& p, std::ostream& os) {
    os << p.first << "+" << p.stride << "*[0," << p.count << ")";
}
static void showValue(const PacketBlock& block, std::ostream& os) {
    os << "rows ";
    showValue(block.all_rows(), os);
    os << " columns ";
    showValue(block.columns(), os);
}

namespace {

using Numbers = std::set<std::uint32_t>;
using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // (row, column)

Numbers written_out(const Progression& p) {
    Numbers numbers;
    for (std::uint32_t i = 0; i < p.count; ++i) numbers.insert(p.first + i * p.stride);
    return numbers;
}

/// Puts the packets of a block into a set. False if one of them is there already: blocks of a list must be disjoint.
bool write_out(const PacketBlock& block, Pairs& into) {
    bool fresh = true;
    for (std::uint32_t j = 0; j < block.rows; ++j)
        for (std::uint32_t i = 0; i < block.count; ++i)
            fresh &= into.emplace(block.row + j * block.row_stride, block.first + i * block.stride).second;
    return fresh;
}
Pairs written_out(const PacketBlock& block) {
    Pairs pairs;
    write_out(block, pairs);
    return pairs;
}
/// Of a list, which RC_ASSERT wants disjoint.
template <class Blocks>
Pairs written_out_disjoint(const Blocks& blocks) {
    Pairs pairs;
    for (const PacketBlock& block : blocks) RC_ASSERT(write_out(block, pairs));
    return pairs;
}

template <class Set>
Set in_both(const Set& a, const Set& b) {
    Set both;
    for (const auto& x : a)
        if (b.count(x) != 0) both.insert(x);
    return both;
}
template <class Set>
Set in_first_alone(const Set& a, const Set& b) {
    Set rest;
    for (const auto& x : a)
        if (b.count(x) == 0) rest.insert(x);
    return rest;
}
template <class Set>
Set in_either(Set a, const Set& b) {
    a.insert(b.begin(), b.end());
    return a;
}

/// Small, so that random ones meet; strides with common divisors and without.
Progression any_progression(std::uint32_t first_end = 24, std::uint32_t stride_end = 9, std::uint32_t count_end = 9) {
    return {*rc::gen::inRange<std::uint32_t>(0, first_end), *rc::gen::inRange<std::uint32_t>(1, stride_end),
            *rc::gen::inRange<std::uint32_t>(1, count_end)};
}
/// Most blocks that algorithms make are one row; most of those are ranges.
PacketBlock any_block() {
    const Progression rows = *rc::gen::element(0, 0, 1) == 0 ? Progression{*rc::gen::inRange<std::uint32_t>(0, 3)}
                                                             : any_progression(6, 4, 5);
    Progression columns = any_progression(12, 5, 7);
    if (*rc::gen::inRange(0, 3) == 0) columns.stride = 1;
    return block_of(rows, columns);
}
/// Disjoint blocks: what is in none of those before.
PacketBlocks any_disjoint_blocks(int most) {
    PacketBlocks blocks;
    for (int left = *rc::gen::inRange(0, most + 1); left > 0; --left) {
        const PacketBlock block = any_block();
        for (const PacketBlock& rest : without({&block, 1}, span_of(blocks))) blocks.push_back(rest);
    }
    return blocks;
}

// -------------------------------------------------------------------------------------------------------- progressions

RC_GTEST_PROP(AProgression, FindsTheIndexOfEachMemberAndOfNoOther, ()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
        const Progression p = any_progression();
        const Numbers numbers = written_out(p);
        RC_ASSERT(p.last() == *numbers.rbegin());
        for (std::uint32_t x = 0; x < 120; ++x) {
            const auto place = p.place(x);
            RC_ASSERT(place.has_value() == (numbers.count(x) != 0));
            if (place) RC_ASSERT(*place < p.count && p[*place] == x);
        }
    }
}

RC_GTEST_PROP(AProgression, IntersectsWithAnother, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Progression a = any_progression();
        const Progression b = any_progression();
        const auto both = common(a, b);
        const Numbers expected = in_both(written_out(a), written_out(b));
        RC_ASSERT((both ? written_out(*both) : Numbers{}) == expected);
        if (both) RC_ASSERT(both->count == expected.size() && both->stride >= 1);
    }
}

RC_GTEST_PROP(AProgression, MinusAPartIsDisjointProgressions, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Progression whole = any_progression();
        const auto part = common(whole, any_progression());
        if (!part) continue;
        Numbers rest;
        for (const Progression& p : without(whole, *part)) {
            RC_ASSERT(p.count != 0U);
            for (const std::uint32_t x : written_out(p)) RC_ASSERT(rest.insert(x).second);
        }
        RC_ASSERT(rest == in_first_alone(written_out(whole), written_out(*part)));
    }
}

TEST(AProgression, IntersectsFarOut) {
    // The products of large strides and counts do not fit into 32 bits.
    const std::uint32_t billion = 1'000'000'000;
    const Progression a{3, 65'537, 65'000};
    const Progression b{5, 65'539, 65'000};
    const auto both = common(a, b);
    Numbers expected;
    for (std::uint32_t i = 0; i < a.count; ++i)
        if (b.place(a[i])) expected.insert(a[i]);
    EXPECT_EQ(both ? written_out(*both) : Numbers{}, expected);
    EXPECT_EQ(common(Progression{billion}, Progression{0, billion, 5}), Progression{billion});
    EXPECT_FALSE(common(Progression{billion + 1}, Progression{0, billion, 5}));
    EXPECT_EQ(common(Progression{0, 2, 2'000'000'001}, Progression{1, 3, 1'000'000'001}),
              (Progression{4, 6, 500'000'000}));
}

RC_GTEST_PROP(AProgression, IntersectsAtTheLargestDistances, ()) {
    // The product of a remainder and an inverse, each nearly 2^32, does not fit into 63 bits; nor does that of two strides.
    constexpr std::uint32_t end = 0xFFFFFFFF;
    for (int repeat = 0; repeat < 10; ++repeat) {
        const auto far = *rc::gen::inRange<std::uint32_t>(4'000'000'000, end);
        const Progression two{*rc::gen::inRange<std::uint32_t>(0, end - far), far, 2};
        const auto stride = *rc::gen::inRange<std::uint32_t>(2, *rc::gen::element<std::uint32_t>(100, 4'000'000'000));
        const auto skipped = *rc::gen::inRange<std::uint32_t>(0, two.last() / stride);
        const std::uint32_t first = two.last() % stride + skipped * stride;
        const Progression through{first, stride, (end - first) / stride + 1};
        const Progression shorter{first, stride, (end - first) / stride};
        for (const Progression& p : {through, shorter}) {
            if (p.count == 0) continue;
            const std::uint32_t expected = (p.place(two.first) ? 1 : 0) + (p.place(two.last()) ? 1 : 0);
            const auto both = common(p, two);
            const auto turned = common(two, p);
            RC_ASSERT((both ? both->count : 0) == expected);
            RC_ASSERT((turned ? turned->count : 0) == expected);
            if (p.place(two.last())) RC_ASSERT(both->last() == two.last() && turned->last() == two.last());
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- blocks

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

// --------------------------------------------------------------------------------------------------------------- lists

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

TEST(APacketBlock, IsPacketZeroByDefault) { EXPECT_EQ(PacketBlock(), PacketBlock{0}); }

TEST(APacketSet, OfARangeIsEmptyUnlessFirstIsBeforeLast) {
    EXPECT_EQ(PacketSet::range(3, 7).size(), 4U);
    EXPECT_TRUE(PacketSet::range(3, 3).empty());
    EXPECT_TRUE(PacketSet::range(4, 3).empty());
}

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
