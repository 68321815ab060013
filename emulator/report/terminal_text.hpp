/// @file terminal_text.hpp   Text for a terminal: colours where there are some, and lines that fit.
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

/// The meaning of a text; shown as a colour. The heats are steps from the least value to the greatest.
enum class Tone { plain, good, warning, bad, heat_1, heat_2, heat_3, heat_4, heat_5, heat_6, heat_7 };

/// Colours text, or leaves it alone.
class Paint {
  public:
    explicit Paint(bool colour) : colour_(colour) {}
    [[nodiscard]] std::string operator()(std::string_view text, Tone tone) const;

  private:
    bool colour_;
};

struct Cell {
    std::string text;
    Tone tone = Tone::plain;
};

}  // namespace kport
