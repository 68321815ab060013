/// @file sliced_memory.hpp   Memory for packets of one size, stored slice by slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/base/huge_array.hpp"

namespace kport {

/// Memory of so many bytes, every page touched in advance, so that later timings exclude page faults.
/// Errors   DoesNotFit for more than this process may still take.
[[nodiscard]] HugeArray<std::byte> ready_memory(std::uint64_t bytes);

/// Memory of so many places of so many bytes each. The first slices of all places stand together, place after place, then
/// the second slices, and so on: a thread that moves one slice of everything works in contiguous memory, as if packets were
/// that small.
///
/// Callers   any thread may use distinct slices.
/// Memory    places * packet bytes, and less than a cache line a slice: ready_memory().
/// Errors    as ready_memory().
class SlicedMemory {
  public:
    /// `slice_bytes` is a multiple of 8.
    SlicedMemory(std::uint64_t places, std::uint64_t packet_bytes, std::uint64_t slice_bytes);

    [[nodiscard]] std::size_t slices() const { return slices_; }
    /// The offset of a slice in each packet, and its size: the last one has the rest.
    [[nodiscard]] std::uint64_t first_byte(std::size_t slice) const { return slice * slice_bytes_; }
    [[nodiscard]] std::uint64_t bytes_of(std::size_t slice) const {
        return slice + 1 < slices_ ? slice_bytes_ : packet_bytes_ - first_byte(slice);
    }
    /// That slice of place 0; of the others it follows, bytes_of(slice) each.
    [[nodiscard]] std::byte* at(std::size_t slice) { return memory_.data() + slice * pitch_; }
    [[nodiscard]] const std::byte* at(std::size_t slice) const { return memory_.data() + slice * pitch_; }
    [[nodiscard]] std::span<std::byte> part(std::size_t slice, std::uint64_t place) {
        return {at(slice) + place * bytes_of(slice), bytes_of(slice)};
    }
    [[nodiscard]] std::span<const std::byte> part(std::size_t slice, std::uint64_t place) const {
        return {at(slice) + place * bytes_of(slice), bytes_of(slice)};
    }
    [[nodiscard]] std::uint64_t bytes() const { return memory_.size(); }

  private:
    std::uint64_t packet_bytes_;
    std::uint64_t slice_bytes_;
    std::size_t slices_;
    std::uint64_t pitch_;  ///< from a slice of place 0 to the next slice of it
    HugeArray<std::byte> memory_;
};

}  // namespace kport
