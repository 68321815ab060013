/// @file operators_again.hpp   The operators of the table once more, written apart from those whose results move.
#pragma once

#include <cstdint>

namespace kport::again {

/// left op right, of the bits of two elements. Format: one of those in node/formats.hpp.
template <class Format>
[[nodiscard]] std::uint64_t sum(std::uint64_t left, std::uint64_t right);
template <class Format>
[[nodiscard]] std::uint64_t prod(std::uint64_t left, std::uint64_t right);
template <class Format>
[[nodiscard]] std::uint64_t min(std::uint64_t left, std::uint64_t right);
template <class Format>
[[nodiscard]] std::uint64_t max(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t band(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t bor(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t exclusive_or(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t land(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t lor(std::uint64_t left, std::uint64_t right);
[[nodiscard]] std::uint64_t lxor(std::uint64_t left, std::uint64_t right);

/// Whether the right one of two pairs of an element and an index is the result of minloc, or of maxloc.
template <class Format>
[[nodiscard]] bool right_is_least(std::uint64_t left, std::uint64_t left_index, std::uint64_t right,
                                  std::uint64_t right_index);
template <class Format>
[[nodiscard]] bool right_is_greatest(std::uint64_t left, std::uint64_t left_index, std::uint64_t right,
                                     std::uint64_t right_index);

}  // namespace kport::again
