/// @file paint.hpp   Texts with a meaning, shown as a colour where there are colours.
#pragma once

#include <string>
#include <string_view>

namespace KPORT_PUBLIC kport {

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
