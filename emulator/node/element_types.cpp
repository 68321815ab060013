#include "emulator/node/element_types.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/processor.hpp"
#include "emulator/node/formats.hpp"

namespace kport {

namespace {

// ------------------------------------------------------------------------------------------------- small whole numbers

/// x % 1000 by what wide registers can do, for 2^32 is 296 and 2^20 is 576 modulo 1000.
constexpr std::uint64_t modulo_1000(std::uint64_t x) {
    x = (x >> 32) * 296 + (x & 0xFFFFFFFF);                // below 2^41
    x = (x >> 20) * 576 + (x & 0xFFFFF);                   // below 2^31
    const std::uint64_t quotient = (x * 274877907) >> 38;  // 2^38 / 1000, rounded up: exact up to 2^32
    return x - quotient * 1000;
}

/// Sums of doubles are exact then, whatever the order in which they are folded. In line, so that each way has its own loop.
template <class Format>
[[gnu::always_inline]] inline void small_numbers_in_line(std::uint64_t stream, std::uint64_t i, std::uint64_t stride,
                                                         std::uint64_t count, std::byte* into) {
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t number = modulo_1000(mixed(stream + i + k * stride));
        const auto word =
            static_cast<typename Format::Word>(Format::bits(static_cast<typename Format::Number>(number)));
        std::memcpy(into + k * sizeof word, &word, sizeof word);
    }
}
#if defined(__x86_64__)
/// Fewer are made before wide registers are filled.
constexpr std::uint64_t numbers_by_eight_from = 64;

template <class Format>
[[gnu::target("avx512f,avx512dq")]] void small_numbers_by_eight(std::uint64_t stream, std::uint64_t i,
                                                                std::uint64_t stride, std::uint64_t count,
                                                                std::byte* into) {
    small_numbers_in_line<Format>(stream, i, stride, count, into);
}
#endif
template <class Format>
void small_numbers(const ElementTypeRecord&, std::uint64_t seed, NodeId v, std::uint64_t i, std::uint64_t stride,
                   std::uint64_t count, std::byte* into) {
    const std::uint64_t stream = random_stream(seed, v);
#if defined(__x86_64__)
    if constexpr (Format::width == 64)
        if (count >= numbers_by_eight_from && knows_eight_words())
            return small_numbers_by_eight<Format>(stream, i, stride, count, into);
#endif
    small_numbers_in_line<Format>(stream, i, stride, count, into);
}
template <class Format>
void small_number(const ElementTypeRecord& type, std::uint64_t seed, NodeId v, std::uint64_t i, std::byte* into) {
    small_numbers<Format>(type, seed, v, i, 1, 1, into);
}

// ------------------------------------------------------------------------------------------------------- bits and texts

template <class Format>
std::uint64_t bits_at(const std::byte* element) {
    return from_bytes<typename Format::Word>(element);
}

/// The bits of a number in text; nothing if all of it is none, or beyond the type. A number that is no whole one is rounded.
template <class Format>
std::optional<std::uint64_t> bits_in(std::string_view text) {
    typename Format::Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    const std::uint64_t bits = Format::bits(number);
    if constexpr (Format::is_real)  // not a number, as its name says
        if (std::isnan(number) || (std::isfinite(number) && !std::isfinite(Format::value(bits)))) return std::nullopt;
    return bits;
}

template <class Format>
bool read_number(const std::string& text, NodeId, std::byte* into) {
    const auto bits = bits_in<Format>(text);
    if (!bits) return false;
    const auto word = static_cast<typename Format::Word>(*bits);
    std::memcpy(into, &word, sizeof word);
    return true;
}

/// Of a real number the fewest digits that are read as it.
template <class Format>
std::string text_of_bits(std::uint64_t bits) {
    const auto number = Format::value(bits);
    if constexpr (Format::is_real) {
        if (std::isnan(number)) return "nan";  // its sign means nothing
        if constexpr (Format::width < 64)
            for (int digits = 1; digits < std::numeric_limits<double>::max_digits10; ++digits)
                if (const std::string text = fmt::format("{:.{}g}", number, digits); bits_in<Format>(text) == bits)
                    return fmt::format("{}", std::strtod(text.c_str(), nullptr));
    }
    return fmt::format("{}", number);
}

template <class Format>
std::string text_of_number(const ElementTypeRecord&, const std::byte* element) {
    return text_of_bits<Format>(bits_at<Format>(element));
}

template <class Format>
void any_number(const ElementTypeRecord& type, Dice& dice, NodeId nodes, std::byte* into) {
    small_number<Format>(type, dice.word(), dice.below(nodes), 0, into);
}

template <class Format>
std::optional<std::int64_t> place_of(const std::byte* element) {
    const std::uint64_t bits = bits_at<Format>(element);
    if (std::isnan(Format::value(bits))) return std::nullopt;
    const std::int64_t place = in_order<Format>(bits);
    return place < 0 ? place + 1 : place;  // -0 stands one below 0
}

template <class Format>
double real_at(const std::byte* element) {
    return Format::value(bits_at<Format>(element));
}

// -------------------------------------------------------------------------------------------------------------- pairs

template <class Format>
void small_pair(const ElementTypeRecord&, std::uint64_t seed, NodeId v, std::uint64_t i, std::byte* into) {
    const std::uint64_t number = modulo_1000(mixed(random_stream(seed, v) + i));
    const ElementAndIndex pair{Format::bits(static_cast<typename Format::Number>(number)), v};
    std::memcpy(into, &pair, sizeof pair);
}

template <class Format>
void any_pair(const ElementTypeRecord& type, Dice& dice, NodeId nodes, std::byte* into) {
    small_pair<Format>(type, dice.word(), dice.below(nodes), 0, into);
}

/// "3@7"; without an index that of the node.
template <class Format>
bool read_pair(const std::string& text, NodeId v, std::byte* into) {
    const std::size_t at = text.find('@');
    const auto bits = bits_in<Format>(std::string_view(text).substr(0, at));
    const auto index = at == std::string::npos ? std::optional<std::uint64_t>(v)
                                               : bits_in<FormatOfUint64>(std::string_view(text).substr(at + 1));
    if (!bits || !index) return false;
    const ElementAndIndex pair{*bits, *index};
    std::memcpy(into, &pair, sizeof pair);
    return true;
}

template <class Format>
std::string text_of_pair(const ElementTypeRecord&, const std::byte* element) {
    const auto pair = from_bytes<ElementAndIndex>(element);
    return fmt::format("{}@{}", text_of_bits<Format>(pair.bits), pair.index);
}

// ------------------------------------------------------------------------------------------------------------ records

template <class Format>
constexpr ElementTypeRecord pair_row(std::string_view name, std::string_view wanted) {
    return {.name = name,
            .bytes = sizeof(ElementAndIndex),
            .contribution = small_pair<Format>,
            .sample = any_pair<Format>,
            .text = text_of_pair<Format>,
            .read = read_pair<Format>,
            .wanted = wanted};
}

template <class Format>
constexpr ElementTypeRecord row(std::string_view name, std::string_view wanted, const ElementTypeRecord& pair) {
    ElementTypeRecord all{.name = name,
                          .bytes = sizeof(typename Format::Word),
                          .contribution = small_number<Format>,
                          .contributions = small_numbers<Format>,
                          .sample = any_number<Format>,
                          .text = text_of_number<Format>,
                          .read = read_number<Format>,
                          .wanted = wanted,
                          .with_index = &pair};
    if constexpr (Format::is_real) {
        all.place = place_of<Format>;
        all.real = real_at<Format>;
        all.fraction_bits = Format::fraction_bits;
        all.exponent_max = Format::exponent_max;
    }
    return all;
}

constexpr std::string_view of_int64 = "a whole number from -9223372036854775808 to 9223372036854775807, such as 12";
constexpr std::string_view of_int32 = "a whole number from -2147483648 to 2147483647, such as 12";
constexpr std::string_view of_uint64 = "a whole number from 0 to 18446744073709551615, such as 12";
constexpr std::string_view of_double = "a number such as 0.5, or inf";
constexpr std::string_view of_float = "a number of at most 3.4028235e+38, such as 0.5, or inf";
constexpr std::string_view of_float16 = "a number of at most 65504, such as 0.5, or inf";
constexpr std::string_view of_bfloat16 = "a number of at most 3.39e+38, such as 0.5, or inf";

}  // namespace

namespace rows {

constinit const ElementTypeRecord int64_and_index = pair_row<FormatOfInt64>("int64", of_int64);
constinit const ElementTypeRecord int32_and_index = pair_row<FormatOfInt32>("int32", of_int32);
constinit const ElementTypeRecord uint64_and_index = pair_row<FormatOfUint64>("uint64", of_uint64);
constinit const ElementTypeRecord real_and_index = pair_row<FormatOfDouble>("double", of_double);
constinit const ElementTypeRecord real32_and_index = pair_row<FormatOfFloat>("float", of_float);
constinit const ElementTypeRecord real16_and_index = pair_row<FormatOfFloat16>("float16", of_float16);
constinit const ElementTypeRecord brain16_and_index = pair_row<FormatOfBfloat16>("bfloat16", of_bfloat16);

constinit const ElementTypeRecord int64 = row<FormatOfInt64>("int64", of_int64, int64_and_index);
constinit const ElementTypeRecord int32 = row<FormatOfInt32>("int32", of_int32, int32_and_index);
constinit const ElementTypeRecord uint64 = row<FormatOfUint64>("uint64", of_uint64, uint64_and_index);
constinit const ElementTypeRecord real = row<FormatOfDouble>("double", of_double, real_and_index);
constinit const ElementTypeRecord real32 = row<FormatOfFloat>("float", of_float, real32_and_index);
constinit const ElementTypeRecord real16 = row<FormatOfFloat16>("float16", of_float16, real16_and_index);
constinit const ElementTypeRecord brain16 = row<FormatOfBfloat16>("bfloat16", of_bfloat16, brain16_and_index);
constinit const ElementTypeRecord text = {.name = "string"};

}  // namespace rows

constinit const ElementType ElementType::int64{rows::int64};
constinit const ElementType ElementType::int32{rows::int32};
constinit const ElementType ElementType::uint64{rows::uint64};
constinit const ElementType ElementType::real{rows::real};
constinit const ElementType ElementType::real32{rows::real32};
constinit const ElementType ElementType::real16{rows::real16};
constinit const ElementType ElementType::brain16{rows::brain16};
constinit const ElementType ElementType::text{rows::text};

const std::vector<ElementType>& element_types() {
    static const std::vector<ElementType> all = {ElementType::int64,   ElementType::int32,  ElementType::uint64,
                                                 ElementType::real,    ElementType::real32, ElementType::real16,
                                                 ElementType::brain16, ElementType::text};
    return all;
}

}  // namespace kport
