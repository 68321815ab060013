/// @file numbers.hpp   Strict parsing of typed numbers, formatting of counts, and arithmetic that detects overflow.
///
/// Every reader takes the whole text or refuses it: no spaces, no signs, no leading zeros, no trailing characters, no
/// wrapping or rounding. `what` names the number in the message, before the quoted word, e.g. "--ports" gives "--ports
/// '1x' is not a whole number; want digits only, such as 16".
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace kport {

inline constexpr std::uint64_t count_max = std::numeric_limits<std::uint64_t>::max();

/// Returns the value of a decimal number; nothing if the text is not in canonical form or needs more than 64 bits.
[[nodiscard]] std::optional<std::uint64_t> to_count(std::string_view text);

/// Returns a whole number from `least` to `most`. Throws RequestError.
[[nodiscard]] std::uint64_t parse_count(std::string_view text, std::string_view what, std::uint64_t least = 0,
                                        std::uint64_t most = count_max);

/// Returns a number of bytes: a whole number, alone or directly followed by B, KiB, MiB or GiB (powers of 1024): "64",
/// "4KiB". Throws RequestError.
[[nodiscard]] std::uint64_t parse_size(std::string_view text, std::string_view what);

/// Returns a finite number >= 0 in decimal, with optional point and exponent: "0.001", "1e3". Throws RequestError.
[[nodiscard]] double parse_cost(std::string_view text, std::string_view what);

/// Returns a finite decimal number; nothing for any other text.
[[nodiscard]] std::optional<double> to_real(std::string_view text);

/// Returns a time in seconds: "10s", "500ms", "2m", "1h", or a number of seconds. Throws RequestError.
[[nodiscard]] double parse_seconds(std::string_view text, std::string_view what);

/// Returns "1 node", "2 nodes".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view singular);

/// Return a * b and a + b. Throw DoesNotFit when the result needs more than 64 bits; `what` is the subject of the
/// message: "the sum of distances in line:1099511627776" gives "... needs more than 64 bits".
[[nodiscard]] std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, std::string_view what);
[[nodiscard]] std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b, std::string_view what);

}  // namespace kport
