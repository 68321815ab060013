/// @file fold_order.hpp   In which order, and on which side, a node folds the values that come to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

[[nodiscard]] inline std::uint32_t lowest_of(std::span<const PacketBlock> contributions) {
    std::uint32_t lowest = contributions.front().first;
    for (const PacketBlock& block : contributions) lowest = std::min(lowest, block.first);
    return lowest;
}

/// The value nearest to the node's own contribution is folded first: so the node's value stays a contiguous range of
/// nodes where possible, as a non-commutative operator needs. Of two as near, below and above, the one below: the order of
/// folds decides how sums of doubles are rounded, and must not depend on the order in which a schedule lists its transfers.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint32_t> place_in_order(NodeId v, std::uint32_t lowest) {
    return {lowest < v ? v - lowest : lowest - v, lowest};
}

/// left op right is the fold of a value that comes and of what the node has, by the lowest contributions of both: what comes
/// stands left if it begins before.
[[nodiscard]] inline bool stands_left(std::uint32_t lowest_that_comes, std::uint32_t lowest_here) {
    return lowest_that_comes < lowest_here;
}

}  // namespace kport
