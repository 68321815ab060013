/// @file packet_bytes.hpp   The bytes of a packet, derived from the seed and the packet's number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "emulator/base/types.hpp"
#include "emulator/payload/packet_lines.hpp"

namespace kport {

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
