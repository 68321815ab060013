/// @file operators_again.hpp   The operators of the table once more, written apart from those whose results move.
#pragma once

#include <cstdint>

namespace kport::again {

/// left op right, of the bits of an int64 or a double.
[[nodiscard]] std::uint64_t sum_of_ints(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t sum_of_reals(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t min_of_ints(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t min_of_reals(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t max_of_ints(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t max_of_reals(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t exclusive_or(std::uint64_t left, std::uint64_t right);

}  // namespace kport::again
