#include "emulator/node/element_types.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/node/formats.hpp"

namespace kport::again {

namespace {

/// Below each number stand all that are less, by IEEE 754's totalOrder: -0 stands below 0.
template <class Format>
bool is_below(std::uint64_t left, std::uint64_t right) {
    if constexpr (!Format::is_real) {
        return Format::value(left) < Format::value(right);
    } else {
        const bool is_left_negative = (left & Format::sign) != 0;
        const bool is_right_negative = (right & Format::sign) != 0;
        if (is_left_negative != is_right_negative) return is_left_negative;
        return is_left_negative ? right < left : left < right;
    }
}

/// The number of the format that is nearest, found as a multiple of the last place.
template <class Format>
std::uint64_t nearest(double number) {
    const std::uint64_t sign = std::signbit(number) ? Format::sign : 0;
    if (std::isnan(number)) return sign | Format::infinity | Format::infinity >> 1;
    constexpr auto fraction = static_cast<int>(Format::fraction_bits);
    constexpr int lowest = 1 - Format::exponent_max;
    const double magnitude = std::abs(number);
    if (std::isinf(number)) return sign | Format::infinity;
    const int power = magnitude == 0 ? lowest : std::max(std::ilogb(magnitude), lowest);
    const double places = std::nearbyint(std::ldexp(magnitude, fraction - power));  // ties to even, the mode by default
    const auto above = static_cast<std::uint64_t>(power - lowest) << fraction;
    return sign | std::min(above + static_cast<std::uint64_t>(places), Format::infinity);
}

template <class Format>
std::uint64_t bits_of(double number) {
    if constexpr (Format::width == 64)
        return std::bit_cast<std::uint64_t>(number);
    else if constexpr (Format::width == 32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    else
        return nearest<Format>(number);
}

}  // namespace

template <class Format>
std::uint64_t sum(std::uint64_t left, std::uint64_t right) {
    if constexpr (Format::is_real) return bits_of<Format>(Format::value(left) + Format::value(right));
    return left + right;
}
template <class Format>
std::uint64_t prod(std::uint64_t left, std::uint64_t right) {
    if constexpr (Format::is_real) return bits_of<Format>(Format::value(left) * Format::value(right));
    return left * right;
}
template <class Format>
std::uint64_t min(std::uint64_t left, std::uint64_t right) {
    return is_below<Format>(right, left) ? right : left;
}
template <class Format>
std::uint64_t max(std::uint64_t left, std::uint64_t right) {
    return is_below<Format>(left, right) ? right : left;
}
std::uint64_t band(std::uint64_t left, std::uint64_t right) { return ~(~left | ~right); }
std::uint64_t bor(std::uint64_t left, std::uint64_t right) { return ~(~left & ~right); }
std::uint64_t exclusive_or(std::uint64_t left, std::uint64_t right) { return (left | right) - (left & right); }
std::uint64_t land(std::uint64_t left, std::uint64_t right) { return left == 0 || right == 0 ? 0 : 1; }
std::uint64_t lor(std::uint64_t left, std::uint64_t right) { return left == 0 && right == 0 ? 0 : 1; }
std::uint64_t lxor(std::uint64_t left, std::uint64_t right) { return (left == 0) == (right == 0) ? 0 : 1; }

template <class Format>
bool right_is_least(std::uint64_t left, std::uint64_t left_index, std::uint64_t right, std::uint64_t right_index) {
    if (left == right) return right_index < left_index;
    return is_below<Format>(right, left);
}
template <class Format>
bool right_is_greatest(std::uint64_t left, std::uint64_t left_index, std::uint64_t right, std::uint64_t right_index) {
    if (left == right) return right_index < left_index;
    return is_below<Format>(left, right);
}

#define KPORT_OF_FORMAT(Format)                                                                       \
    template std::uint64_t sum<Format>(std::uint64_t, std::uint64_t);                                 \
    template std::uint64_t prod<Format>(std::uint64_t, std::uint64_t);                                \
    template std::uint64_t min<Format>(std::uint64_t, std::uint64_t);                                 \
    template std::uint64_t max<Format>(std::uint64_t, std::uint64_t);                                 \
    template bool right_is_least<Format>(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t); \
    template bool right_is_greatest<Format>(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
KPORT_OF_FORMAT(FormatOfInt64)
KPORT_OF_FORMAT(FormatOfInt32)
KPORT_OF_FORMAT(FormatOfUint64)
KPORT_OF_FORMAT(FormatOfDouble)
KPORT_OF_FORMAT(FormatOfFloat)
KPORT_OF_FORMAT(FormatOfFloat16)
KPORT_OF_FORMAT(FormatOfBfloat16)
#undef KPORT_OF_FORMAT

}  // namespace kport::again
