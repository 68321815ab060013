/// @file packet_lines.hpp   The bytes of many packets, made or compared at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/base/types.hpp"

namespace kport {

/// `count` packets first, first + step, ...
struct PacketLine {
    PacketId first;
    std::uint64_t step;
    std::uint64_t count;
};

/// Set in the first word of a packet, so that its first byte is not 0.
constexpr std::uint64_t never_zero = 1;

/// Makes and compares the bytes of packets of whole words, one packet after the other, equal to PacketBytes.
/// Implementations differ only in speed, by the instructions that they use.
///
/// Cost   for packets of one word 2 cycles each in wide registers, else 14.
struct PacketLines {
    std::string_view name;
    void (*fill)(std::byte* to, std::uint64_t words_each, std::uint64_t seed, const PacketLine& packets);
    bool (*are_right)(const std::byte* at, std::uint64_t words_each, std::uint64_t seed, const PacketLine& packets);

    /// Returns the implementations that this processor supports, the fastest last; the first works on every processor.
    [[nodiscard]] static std::span<const PacketLines> ways();
    [[nodiscard]] static const PacketLines& fastest();
};

}  // namespace kport
