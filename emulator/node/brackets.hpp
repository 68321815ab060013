/// @file brackets.hpp   In which order contributions were folded: brackets as the values of an operator.
#pragma once

#include <cstdint>

#include "emulator/node/reduction.hpp"

namespace kport {

/// The binary tree of the folds of a result, its leaves contributions: 128 bits that follow from it, and its height. Two trees that
/// differ have the same bits with probability 2^-128.
struct Bracket {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t height = 0;
    std::uint64_t unused = 0;  ///< folds are cut into pieces at powers of two

    bool operator==(const Bracket&) const = default;
};

/// Returns a reduction whose values are brackets instead of what `reduction` folds, by an operator with the same properties: a run
/// with it makes the same messages and folds. A packet holds one bracket, whatever its size.
[[nodiscard]] Reduction brackets_of(const Reduction& reduction);
/// Whether the values are brackets.
[[nodiscard]] bool folds_brackets(const Reduction& reduction);

}  // namespace kport
