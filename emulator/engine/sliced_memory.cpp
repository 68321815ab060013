#include "emulator/engine/sliced_memory.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::string_view subject = "the memory of all packets that move";

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

HugeArray<std::byte> ready_memory(std::uint64_t bytes) {
    const std::uint64_t there = memory_available();
    constexpr double mebibyte = 1024.0 * 1024;
    if (bytes > there)
        throw DoesNotFit(fmt::format("the packets that move need {:.1f} MiB and {:.1f} MiB are available",
                                     static_cast<double>(bytes) / mebibyte, static_cast<double>(there) / mebibyte));
    HugeArray<std::byte> memory(bytes);
    for (std::uint64_t i = 0; i < bytes; i += page_bytes) memory[i] = std::byte{0};
    return memory;
}

SlicedMemory::SlicedMemory(std::uint64_t places, std::uint64_t packet_bytes, std::uint64_t slice_bytes)
    : packet_bytes_(packet_bytes), slice_bytes_(std::min(slice_bytes, packet_bytes)),
      slices_(packet_bytes == 0 ? 1 : packet_bytes / slice_bytes_ + (packet_bytes % slice_bytes_ == 0 ? 0 : 1)),
      pitch_(rounded_up(checked_product(places, slice_bytes_, subject), line_bytes)),
      memory_(ready_memory(checked_product(slices_, pitch_, subject))) {}

}  // namespace kport
