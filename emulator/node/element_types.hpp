/// @file element_types.hpp   What operators are made of: the records of the table's types, and its operators once more, written apart.
#pragma once

#include <cstdint>

#include "emulator/node/operator.hpp"

namespace kport {

/// An element of minloc and maxloc.
struct ElementAndIndex {
    std::uint64_t bits = 0;
    std::uint64_t index = 0;
};

namespace rows {

extern const ElementTypeRecord int64;
extern const ElementTypeRecord int32;
extern const ElementTypeRecord uint64;
extern const ElementTypeRecord real;
extern const ElementTypeRecord real32;
extern const ElementTypeRecord real16;
extern const ElementTypeRecord brain16;
extern const ElementTypeRecord text;

/// Pairs of such an element and an index.
extern const ElementTypeRecord int64_and_index;
extern const ElementTypeRecord int32_and_index;
extern const ElementTypeRecord uint64_and_index;
extern const ElementTypeRecord real_and_index;
extern const ElementTypeRecord real32_and_index;
extern const ElementTypeRecord real16_and_index;
extern const ElementTypeRecord brain16_and_index;

}  // namespace rows

}  // namespace kport

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
