/// @file wrapped.hpp   Text broken into lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace KPORT_PUBLIC kport {

/// The columns of a terminal that does not tell how many it has, and of output that goes to none.
inline constexpr std::size_t usual_width = 80;

/// The columns that a text takes in a terminal: one for each code point, none for colours.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Where a line may be broken.
enum class Break {
    words,  ///< at spaces
    phrases  ///< after a comma or semicolon, or at two spaces and more; at other spaces only in a phrase that no line holds
};

/// The text with each line that takes more than `width` columns broken into several; those after the first are indented
/// by `hang`. Stays whole and may be longer: a word, and a command in quotes ('kport ...'), which is there to be copied.
/// O(length).
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t hang, std::size_t width, Break at = Break::words);

}  // namespace kport
