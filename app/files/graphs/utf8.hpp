/// @file utf8.hpp   Names from files: what of them may stand in a line of a report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kport {

/// Well-formed UTF-8 (RFC 3629) without control characters.
[[nodiscard]] bool is_plain_utf8(std::string_view text);
/// The bytes of a code point.
[[nodiscard]] std::string utf8_of(std::uint32_t code_point);
/// With '?' for every byte that is no printable ASCII.
[[nodiscard]] std::string in_ascii(std::string_view text);
/// Without blanks at both ends; each run of blanks and control characters is one space.
[[nodiscard]] std::string in_one_line(std::string_view text);

}  // namespace kport
