/// @file copied_blocks.hpp   Copies packets that stand in blocks, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/schedule/packet_block.hpp"

namespace kport {

/// Copies what two lists of blocks have in common, from where it stands in one to where it stands in the other, packets of so
/// many bytes each. Returns how many packets that is.
std::uint64_t copy_blocks(std::span<const PacketBlock> into_blocks, std::byte* into,
                          std::span<const PacketBlock> from_blocks, const std::byte* from, std::uint64_t bytes);

}  // namespace kport
