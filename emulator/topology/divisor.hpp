/// @file divisor.hpp   Division by a fixed number, by multiplication and shift.
#pragma once

#include <bit>
#include <cstdint>

namespace KPORT_PUBLIC kport {

/// Divides node numbers by a fixed d, 1 <= d <= 2^40, with one multiplication and one shift.
///
/// Idea      With s = floor(log2 d) and m = ceil(2^(63+s) / d), m * d = 2^(63+s) + e where 0 <= e < d < 2^(s+1). Then
///           v * m / 2^(63+s) exceeds v / d by v * e / (d * 2^(63+s)), which is less than 1/d, too little to reach the
///           next integer, as long as v * e < 2^(63+s); v < 2^62 is enough for that. m lies in (2^62, 2^63], so it fits
///           64 bits, d = 1 included.
/// Source    Granlund and Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994; the bound is ours.
class Divisor {
  public:
    constexpr Divisor() : Divisor(1) {}

    explicit constexpr Divisor(std::uint64_t d)
        : shift_(static_cast<unsigned>(std::bit_width(d)) - 1),
          factor_(static_cast<std::uint64_t>(((Wide{1} << (63 + shift_)) + d - 1) / d)) {}

    /// floor(v / d) for v < 2^62.
    [[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t v) const {
        const std::uint64_t doubled = 2 * v;  // below 2^63: it fits
        return static_cast<std::uint64_t>((Wide{doubled} * factor_) >> 64) >> shift_;
    }

  private:
    __extension__ using Wide = unsigned __int128;

    unsigned shift_;
    std::uint64_t factor_;
};

}  // namespace kport
