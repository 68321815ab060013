/// @file png.hpp   SVG as PNG, by librsvg and cairo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kport {

inline constexpr std::uint64_t png_width_least = 16;
inline constexpr std::uint64_t png_width_most = 16384;

/// Returns the picture as PNG, `width` pixels wide; 0: twice as wide as the SVG, or less if that would be too large. librsvg is loaded
/// when it is first needed.
///
/// Callers   one thread at a time.
/// Errors    RequestError if kport was built without librsvg, if it is not installed, or if the picture would be too large.
[[nodiscard]] std::string png_of(std::string_view svg, std::uint64_t width);

/// Throws the RequestError of png_of() where no PNG can be drawn: before a long run.
void require_png();

}  // namespace kport
