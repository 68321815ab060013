/// @file copied_blocks.hpp   Copies packets between lists of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/schedule/packet_block.hpp"

namespace kport {

/// Copies the intersection of two lists of blocks from its places in one to its places in the other, packets of
/// `packet_bytes` bytes each. Returns the number of packets.
std::uint64_t copy_blocks(std::span<const PacketBlock> into_blocks, std::byte* into,
                          std::span<const PacketBlock> from_blocks, const std::byte* from, std::uint64_t bytes);

}  // namespace kport
