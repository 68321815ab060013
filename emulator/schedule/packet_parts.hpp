/// @file packet_parts.hpp   Contributions to the segments of a vector, grouped where several segments have equal ones.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

namespace detail {

/// Returns the parts that for_each_part() visits, for any blocks. O(blocks log blocks) if segments of blocks are equal
/// or disjoint.
[[nodiscard]] std::vector<std::pair<Progression, PacketBlocks>> parts_of(std::span<const PacketBlock> blocks);

}  // namespace detail

/// Calls visit(segments, contributions) for groups of segments with equal contributions, given as packets of row 0.
/// Blocks must be disjoint. O(1) for blocks of equal segments.
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

/// Returns the total number of runs of consecutive nodes among the contributions to each segment.
[[nodiscard]] std::uint64_t runs_in_all(std::span<const PacketBlock> contributions);

}  // namespace kport
