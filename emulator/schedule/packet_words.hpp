/// @file packet_words.hpp   The columns of a row as bits, 64 a word; the places of some packets of a block.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/schedule/packet_block.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

inline constexpr std::uint32_t columns_a_word = 64;

/// Calls visit(word, bits, place) for the words with columns of a progression, some of them several times: column c of
/// the word is the progression's member place + c.
template <class Visit>
void for_each_word(const Progression& columns, Visit&& visit) {
    if (columns.stride != 1) {
        for (std::uint32_t i = 0; i < columns.count; ++i) {
            const std::uint32_t bit = columns[i] % columns_a_word;
            visit(columns[i] / columns_a_word, std::uint64_t{1} << bit, std::int64_t{i} - bit);
        }
        return;
    }
    const std::uint32_t last = columns.last();
    for (std::uint32_t word = columns.first / columns_a_word; word <= last / columns_a_word; ++word) {
        const std::uint32_t begin = word * columns_a_word;
        std::uint64_t bits = ~std::uint64_t{0};
        if (begin < columns.first) bits <<= columns.first - begin;
        if (last - begin < columns_a_word) bits &= ~std::uint64_t{0} >> (columns_a_word - 1 - (last - begin));
        visit(word, bits, std::int64_t{begin} - columns.first);
    }
}

/// Calls visit(first, count) for each run of ones.
template <class Visit>
void for_each_run(std::uint64_t bits, Visit&& visit) {
    for (std::uint32_t at = 0; bits != 0;) {
        const auto skipped = static_cast<std::uint32_t>(std::countr_zero(bits));
        bits >>= skipped;
        at += skipped;
        const auto count = static_cast<std::uint32_t>(std::countr_one(bits));
        visit(at, count);
        bits = count == columns_a_word ? 0 : bits >> count;
        at += count;
    }
}

/// Appends packets of a word as runs; the first may join the last run of the list.
template <class Blocks>
void append_runs(std::uint32_t row, std::uint32_t word, std::uint64_t bits, Blocks& to) {
    for_each_run(bits, [&](std::uint32_t first, std::uint32_t count) {
        const PacketBlock run{word * columns_a_word + first, 1, count, row};
        if (!to.empty() && neighbours(to.back(), run))
            to.back() = joined_neighbours(to.back(), run);
        else
            to.push_back(run);
    });
}

/// The indices of the packets of `part` among those of `block`, which are stored row by row: an affine walk, in
/// packets. `part` is an intersection of this block with another.
struct PacketWalk {
    std::uint64_t begin;
    std::uint64_t column_step;
    std::uint64_t row_step;

    PacketWalk(const PacketBlock& block, const PacketBlock& part)
        : begin(place(part.row, block.row, block.row_stride) * block.count +
                place(part.first, block.first, block.stride)),
          column_step(part.count == 1 ? 1 : part.stride / block.stride),
          row_step((part.rows == 1 ? 1 : part.row_stride / block.row_stride) * std::uint64_t{block.count}) {}

  private:
    static std::uint64_t place(std::uint32_t x, std::uint32_t first, std::uint32_t stride) {
        return stride == 1 ? x - first : (x - first) / stride;  // a division takes as long as twenty comparisons
    }
};

}  // namespace kport
