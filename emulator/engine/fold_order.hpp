/// @file fold_order.hpp   In which order a node folds several values that come in the same round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

[[nodiscard]] inline std::uint32_t lowest_of(std::span<const PacketBlock> contributions) {
    std::uint32_t lowest = contributions.front().first;
    for (const PacketBlock& block : contributions) lowest = std::min(lowest, block.first);
    return lowest;
}

/// What stands nearest to a node's own contribution is folded first: then what it has stays one piece of the order of the
/// nodes, wherever that is possible, as an operator needs that is not commutative.
[[nodiscard]] inline std::uint64_t distance_in_order(NodeId v, std::uint32_t lowest) {
    return lowest < v ? v - lowest : lowest - v;
}

}  // namespace kport
