/// @file pixels.hpp   SVG as PNG, and as WebP that moves, by librsvg, cairo and libwebp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kport {

inline constexpr std::uint64_t pixels_width_least = 16;
inline constexpr std::uint64_t pixels_width_most = 16384;

/// Returns the picture as PNG, `width` pixels wide; 0: twice as wide as the SVG, or less if that would be too large. librsvg is loaded
/// when it is first needed.
///
/// Callers   one thread at a time.
/// Errors    RequestError if kport was built without librsvg, if it is not installed, or if the picture would be too large.
[[nodiscard]] std::string png_of(std::string_view svg, std::uint64_t width);

/// Returns a picture whose groups frame-0, frame-1, ... are shown one after the other, each for so many seconds, without end, as WebP
/// without loss. A picture without such groups stands still. Width, callers and errors as those of png_of().
[[nodiscard]] std::string webp_of(std::string_view svg, std::uint64_t width, double seconds);

/// Throws the RequestError of png_of() where no PNG can be drawn: before a long run.
void require_png();
/// Throws the RequestError of webp_of() where no WebP can be drawn.
void require_webp();

}  // namespace kport
