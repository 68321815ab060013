/// @file sizes.hpp   Ranges and lists of sizes and numbers of packets: 8..16MiB is twenty-two of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kport::requests {

/// The most sizes that a range or a list names.
inline constexpr std::size_t sizes_max = 1000;

/// "64", "8,64,4KiB", or "8..16MiB": from 8 bytes on, each twice the one before, as far as 16 MiB, which is the last;
/// "8..16MiB*8" takes another factor. Throws RequestError, which names the option.
[[nodiscard]] std::vector<std::uint64_t> sizes_of(std::string_view text, std::string_view option = "--bytes");
/// The same of numbers of packets, for --packets: "1,4,16", "1..64", "1..64*4".
[[nodiscard]] std::vector<std::uint64_t> packets_of(std::string_view text);

}  // namespace kport::requests
