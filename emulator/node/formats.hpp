/// @file formats.hpp   The numbers that elements are: how wide they are, and what their bits stand for.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kport {

/// Whole numbers in two's complement, or without a sign, as their bits in a word.
template <std::integral T>
struct WholeFormat {
    using Number = T;
    using Word = std::make_unsigned_t<T>;
    static constexpr bool is_real = false;
    static constexpr unsigned width = 8 * sizeof(T);

    static constexpr T value(std::uint64_t bits) { return static_cast<T>(bits); }
    static constexpr std::uint64_t bits(T number) { return static_cast<Word>(number); }
};

/// Binary numbers of IEEE 754: a sign, so many bits of the exponent and of the fraction. The value of each is a double.
template <unsigned exponent, unsigned fraction>
struct RealFormat {
    using Number = double;
    static constexpr bool is_real = true;
    static constexpr unsigned width = 1 + exponent + fraction;
    using Word =
        std::conditional_t<width == 64, std::uint64_t, std::conditional_t<width == 32, std::uint32_t, std::uint16_t>>;
    static constexpr unsigned exponent_bits = exponent;
    static constexpr unsigned fraction_bits = fraction;
    static constexpr int exponent_max =
        (1 << (exponent - 1)) - 1;  ///< of finite numbers; also what is added to exponents
    static constexpr std::uint64_t infinity = ((std::uint64_t{1} << exponent) - 1) << fraction;
    static constexpr std::uint64_t sign = std::uint64_t{1} << (width - 1);

    static double value(std::uint64_t bits) {
        if constexpr (width == 64) {
            return std::bit_cast<double>(bits);
        } else {
            const std::uint64_t magnitude = bits & (sign - 1);
            const std::uint64_t rest = magnitude & ((std::uint64_t{1} << fraction) - 1);
            double number = 0;
            if (magnitude >= infinity)
                number = rest == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
            else if (magnitude >> fraction == 0)
                number = std::ldexp(static_cast<double>(rest), 1 - exponent_max - static_cast<int>(fraction));
            else
                number =
                    std::ldexp(static_cast<double>(rest + (std::uint64_t{1} << fraction)),
                               static_cast<int>(magnitude >> fraction) - exponent_max - static_cast<int>(fraction));
            return (bits & sign) != 0 ? -number : number;
        }
    }

    /// Rounds to nearest, ties to even; beyond the largest: infinity. A NaN keeps its sign.
    static std::uint64_t bits(double number) {
        const auto all = std::bit_cast<std::uint64_t>(number);
        if constexpr (width == 64) {
            return all;
        } else {
            constexpr unsigned of_double = 52;
            const std::uint64_t negative = (all >> 63) << (width - 1);
            const auto power = static_cast<int>(all >> of_double & 0x7FF) - 1023;
            const std::uint64_t rest = all & ((std::uint64_t{1} << of_double) - 1);
            if (power > 1023) return negative | infinity | (rest != 0 ? std::uint64_t{1} << (fraction - 1) : 0);
            const int below = 1 - exponent_max - power;  // how far it is below the numbers of full precision
            const bool is_full = below <= 0;
            unsigned shift = of_double - fraction + (is_full ? 0 : static_cast<unsigned>(below));
            if (shift > of_double + 2) shift = of_double + 2;  // nothing is left
            const std::uint64_t significand = rest | (power > -1023 ? std::uint64_t{1} << of_double : 0);
            const std::uint64_t kept = significand >> shift;
            const std::uint64_t lost = significand & ((std::uint64_t{1} << shift) - 1);
            const std::uint64_t half = std::uint64_t{1} << (shift - 1);
            // A carry goes into the exponent, as it should.
            std::uint64_t magnitude = kept + (lost > half || (lost == half && kept % 2 == 1) ? 1 : 0);
            if (is_full) magnitude += static_cast<std::uint64_t>(power + exponent_max - 1) << fraction;
            return negative | (magnitude < infinity ? magnitude : infinity);
        }
    }
};

using FormatOfInt64 = WholeFormat<std::int64_t>;
using FormatOfInt32 = WholeFormat<std::int32_t>;
using FormatOfUint64 = WholeFormat<std::uint64_t>;
using FormatOfDouble = RealFormat<11, 52>;
using FormatOfFloat = RealFormat<8, 23>;
using FormatOfFloat16 = RealFormat<5, 10>;
using FormatOfBfloat16 = RealFormat<8, 7>;

/// The bits as an integer of the same order; of real numbers that of IEEE 754's totalOrder, -0 below 0.
template <class Format>
constexpr std::int64_t in_order(std::uint64_t bits) {
    if constexpr (!Format::is_real && std::is_unsigned_v<typename Format::Number>) {
        return static_cast<std::int64_t>(bits ^ std::uint64_t{1} << 63);
    } else {
        constexpr unsigned unused = 64 - Format::width;
        const std::int64_t number = static_cast<std::int64_t>(bits << unused) >> unused;
        if constexpr (!Format::is_real) return number;
        return number ^ ((number >> 63) & (std::numeric_limits<std::int64_t>::max() >> unused));
    }
}

}  // namespace kport
