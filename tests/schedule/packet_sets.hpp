/// @file packet_sets.hpp   Tests of sets of packets: small random progressions and blocks, and the sets that they stand for,
///                         written out number by number.
#pragma once

#include <cstdint>
#include <ostream>
#include <set>
#include <utility>

#include <rapidcheck/gtest.h>

#include "emulator/schedule/packet_set.hpp"

namespace kport {

// How RapidCheck shows a counterexample.
inline void showValue(const Progression& p, std::ostream& os) {
    os << p.first << "+" << p.stride << "*[0," << p.count << ")";
}
inline void showValue(const PacketBlock& block, std::ostream& os) {
    os << "rows ";
    showValue(block.all_rows(), os);
    os << " columns ";
    showValue(block.columns(), os);
}

namespace test {

using Numbers = std::set<std::uint32_t>;
using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // (row, column)

inline Numbers written_out(const Progression& p) {
    Numbers numbers;
    for (std::uint32_t i = 0; i < p.count; ++i) numbers.insert(p.first + i * p.stride);
    return numbers;
}

/// Puts the packets of a block into a set. False if one of them is there already: blocks of a list must be disjoint.
inline bool write_out(const PacketBlock& block, Pairs& into) {
    bool fresh = true;
    for (std::uint32_t j = 0; j < block.rows; ++j)
        for (std::uint32_t i = 0; i < block.count; ++i)
            fresh &= into.emplace(block.row + j * block.row_stride, block.first + i * block.stride).second;
    return fresh;
}
inline Pairs written_out(const PacketBlock& block) {
    Pairs pairs;
    write_out(block, pairs);
    return pairs;
}
/// Returns the packets of a list, which RC_ASSERT requires to be disjoint.
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
inline Progression any_progression(std::uint32_t first_end = 24, std::uint32_t stride_end = 9,
                                   std::uint32_t count_end = 9) {
    return {*rc::gen::inRange<std::uint32_t>(0, first_end), *rc::gen::inRange<std::uint32_t>(1, stride_end),
            *rc::gen::inRange<std::uint32_t>(1, count_end)};
}
/// Most blocks that algorithms make are one row; most of those are ranges.
inline PacketBlock any_block() {
    const Progression rows = *rc::gen::element(0, 0, 1) == 0 ? Progression{*rc::gen::inRange<std::uint32_t>(0, 3)}
                                                             : any_progression(6, 4, 5);
    Progression columns = any_progression(12, 5, 7);
    if (*rc::gen::inRange(0, 3) == 0) columns.stride = 1;
    return block_of(rows, columns);
}
/// Disjoint blocks: what is in none of those before.
inline PacketBlocks any_disjoint_blocks(int most) {
    PacketBlocks blocks;
    for (int left = *rc::gen::inRange(0, most + 1); left > 0; --left) {
        const PacketBlock block = any_block();
        for (const PacketBlock& rest : without({&block, 1}, span_of(blocks))) blocks.push_back(rest);
    }
    return blocks;
}

}  // namespace test
}  // namespace kport
