/// @file packet_parts.hpp   The contributions to the segments of a vector, where several segments have the same ones.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

namespace detail {

/// The parts that for_each_part() visits, of any blocks. O(blocks log blocks) where blocks have the same segments or none in common.
[[nodiscard]] std::vector<std::pair<Progression, PacketBlocks>> parts_of(std::span<const PacketBlock> blocks);

}  // namespace detail

/// Calls visit(segments, contributions) for the parts of some contributions: segments to which there are the same, and these as
/// packets of row 0. Blocks must be disjoint. O(1) for blocks of the same segments.
template <class Visit>
void for_each_part(std::span<const PacketBlock> blocks, const Visit& visit) {
    if (blocks.size() == 1) {
        const PacketBlock only = block_of({}, blocks.front().columns());
        visit(blocks.front().all_rows(), std::span<const PacketBlock>(&only, 1));
        return;
    }
    const Progression first = blocks.front().all_rows();
    if (std::ranges::all_of(blocks, [&](const PacketBlock& block) { return block.all_rows() == first; })) {
        PacketBlocks all;
        for (const PacketBlock& block : blocks) all.push_back(block_of({}, block.columns()));
        visit(first, span_of(all));
        return;
    }
    for (const auto& [segments, contributions] : detail::parts_of(blocks)) visit(segments, span_of(contributions));
}

/// How many runs of consecutive nodes the contributions to each segment are, all together.
[[nodiscard]] std::uint64_t runs_in_all(std::span<const PacketBlock> contributions);

}  // namespace kport
