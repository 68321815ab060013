/// @file packet_lines.hpp   The bytes of many packets, made or compared at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/base/types.hpp"

namespace kport {

/// Packets first, first + step, ..., so many.
struct PacketLine {
    PacketId first;
    std::uint64_t step;
    std::uint64_t count;
};

/// Set in the first word of a packet, so that its first byte is not 0.
constexpr std::uint64_t never_zero = 1;

/// The bytes of packets of a whole number of words each, one packet after the other: what PacketBytes says of each. A way to make
/// and to compare them; which instructions the processor has makes a difference of speed alone.
///
/// Cost   of packets of one word 2 cycles each in wide registers, else 14.
struct PacketLines {
    std::string_view name;
    void (*fill)(std::byte* to, std::uint64_t words_each, std::uint64_t seed, const PacketLine& packets);
    bool (*are_right)(const std::byte* at, std::uint64_t words_each, std::uint64_t seed, const PacketLine& packets);

    /// Those that this processor knows, the fastest last; the first one every processor knows.
    [[nodiscard]] static std::span<const PacketLines> ways();
    [[nodiscard]] static const PacketLines& fastest();
};

}  // namespace kport
