/// @file sample.hpp   A complete exercise to begin with.
#pragma once

#include <span>
#include <string_view>

namespace kport::grade {

/// A file of the sample, below its folder.
struct SampleFile {
    std::string_view name;  ///< "hand-ins/answer.txt"
    std::string_view text;
};

/// An exercise with an answer and an empty hand-in; the exercise comes first.
[[nodiscard]] std::span<const SampleFile> sample();

}  // namespace kport::grade
