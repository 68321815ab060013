/// @file packet_bytes.hpp   The bytes of a packet, derived from the seed and the packet's number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The bytes of every packet of a run, computed on demand, so that what arrived can be checked without its source. No
/// packet is all zeros, as untouched memory is.
///
/// Callers   any thread.
class PacketBytes {
  public:
    explicit PacketBytes(std::uint64_t seed) : seed_(seed) {}

    /// Writes the packet's bytes first, first + 1, ...; `first` is a multiple of 8.
    void fill(std::span<std::byte> bytes, PacketId packet, std::uint64_t first = 0) const;

    /// Returns the index in `bytes` of the first byte that differs from the packet's; nothing if none does.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(std::span<const std::byte> bytes, PacketId packet,
                                                                std::uint64_t first = 0) const;

    /// Writes, or compares, many packets of `packet_bytes` each, stored one after the other.
    void fill_all(std::byte* to, std::uint64_t packet_bytes, const PacketLine& packets) const;
    [[nodiscard]] bool are_right(const std::byte* at, std::uint64_t packet_bytes, const PacketLine& packets) const;

  private:
    std::uint64_t seed_;
};

}  // namespace kport
