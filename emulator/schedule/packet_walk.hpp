/// @file packet_walk.hpp   The indices of some packets of a block in contiguous memory.
#pragma once

#include <cstdint>

#include "emulator/schedule/packet_set.hpp"

namespace kport {

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
