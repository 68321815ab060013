#include "emulator/base/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool only_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits.front() == '0'; }

std::string_view without_leading_zeros(std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view reason, std::string_view want) {
    if (text.empty()) throw RequestError(fmt::format("{} missing; want {}", what, want));
    throw RequestError(fmt::format("{} {} {}; want {}", what, quoted(text), reason, want));
}

[[noreturn]] void does_not_fit(std::string_view what) {
    throw DoesNotFit(fmt::format("{} needs more than 64 bits", what));
}

struct Suffix {
    std::string_view name;
    std::uint64_t bytes;
};

constexpr std::array<Suffix, 5> suffixes{{{"", 1},
                                          {"B", 1},
                                          {"KiB", std::uint64_t{1} << 10},
                                          {"MiB", std::uint64_t{1} << 20},
                                          {"GiB", std::uint64_t{1} << 30}}};

constexpr std::string_view size_wanted = "a whole number, alone or with B, KiB, MiB or GiB, such as 64KiB";

/// Returns "4KiB" for "4K" and "4kb", "1000" for "1e3". Empty if the meaning is unclear.
std::string with_known_suffix(std::string_view digits, std::string_view suffix) {
    std::string letters;
    for (const char c : suffix)
        if (c != ' ') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (letters.empty()) return "";
    for (const auto& [unit, name] : {std::pair('k', "KiB"), std::pair('m', "MiB"), std::pair('g', "GiB")})
        if (letters.front() == unit && (letters.size() == 1 || letters.substr(1) == "b" || letters.substr(1) == "ib"))
            return fmt::format("{}{}", digits, name);
    if (letters == "b" || letters == "byte" || letters == "bytes") return std::string(digits);
    const auto zeros = letters.front() == 'e' ? to_count(std::string_view(letters).substr(1)) : std::nullopt;
    constexpr std::uint64_t zeros_max = 18;
    return zeros && *zeros <= zeros_max ? std::string(digits) + std::string(*zeros, '0') : "";
}

/// Returns the factor of a known suffix.
std::optional<std::uint64_t> bytes_of(std::string_view suffix) {
    const auto* const known = std::ranges::find(suffixes, suffix, &Suffix::name);
    return known == suffixes.end() ? std::nullopt : std::optional(known->bytes);
}

/// Returns nothing if it is no size, or 2^64 bytes or more.
std::optional<std::uint64_t> size_of(std::string_view digits, std::string_view suffix) {
    const std::optional<std::uint64_t> value = to_count(digits);
    const std::optional<std::uint64_t> unit = bytes_of(suffix);
    return value && unit && *value <= count_max / *unit ? std::optional(*value * *unit) : std::nullopt;
}

std::string_view leading_digits(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

/// Returns the size that was meant, in the right form. Empty if the meaning is unclear.
std::string size_as_it_should_be(std::string_view digits, std::string_view suffix) {
    std::string better = with_known_suffix(without_leading_zeros(digits), suffix);
    const std::string_view number = leading_digits(better);
    return size_of(number, std::string_view(better).substr(number.size())) ? better : "";
}

void require_suffix(std::string_view digits, std::string_view suffix, std::string_view text, std::string_view what) {
    if (bytes_of(suffix)) return;
    if (const std::string better = size_as_it_should_be(digits, suffix); !better.empty())
        throw RequestError(fmt::format("{} {} has the unknown suffix {}; did you mean {}? (B, KiB, MiB, GiB)", what,
                                       quoted(text), quoted(suffix), quoted(better)));
    refuse(what, text, fmt::format("has the unknown suffix {}", quoted(suffix)), size_wanted);
}

}  // namespace

std::optional<std::uint64_t> to_count(std::string_view text) {
    if (!only_digits(text) || has_leading_zero(text)) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return value;
}

std::uint64_t parse_count(std::string_view text, std::string_view what, std::uint64_t least, std::uint64_t most) {
    constexpr std::uint64_t usual = 16;
    if (!only_digits(text))
        refuse(what, text, "is not a whole number",
               fmt::format("digits only, such as {}", std::clamp(usual, least, most)));
    const std::string_view digits = without_leading_zeros(text);
    // Canonical digits that to_count() refuses need more than 64 bits.
    const std::optional<std::uint64_t> value = to_count(digits);
    if (!value || *value > most) refuse(what, text, "is too large", fmt::format("at most {}", most));
    if (*value < least) refuse(what, text, "is too small", fmt::format("at least {}", least));
    if (has_leading_zero(text)) refuse(what, text, "has a leading zero", digits);
    return *value;
}

std::uint64_t parse_size(std::string_view text, std::string_view what) {
    const std::string_view digits = leading_digits(text);
    const std::string_view suffix = text.substr(digits.size());
    if (digits.empty()) refuse(what, text, "is not a size", size_wanted);
    require_suffix(digits, suffix, text, what);
    const std::string_view bare = without_leading_zeros(digits);
    const std::optional<std::uint64_t> size = size_of(bare, suffix);
    if (!size) refuse(what, text, "is too large", "less than 2^64 bytes");
    if (has_leading_zero(digits)) refuse(what, text, "has a leading zero", fmt::format("{}{}", bare, suffix));
    return *size;
}

std::optional<double> to_real(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double parse_cost(std::string_view text, std::string_view what) {
    constexpr std::string_view wanted = "a finite number of at least 0 without a unit, such as 0.5";
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) refuse(what, text, "is out of range", wanted);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    // The sign is tested in the text: -0 compares equal to 0.
    if (!whole || !std::isfinite(value) || text.front() == '-') refuse(what, text, "is not a price", wanted);
    return value;
}

double parse_seconds(std::string_view text, std::string_view what) {
    constexpr std::string_view wanted = "a time such as 500ms, 10s, 2m or 1h";
    constexpr std::array<std::pair<std::string_view, double>, 5> units{
        {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}}};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || !std::isfinite(value) || text.front() == '-') refuse(what, text, "is no time", wanted);
    for (const auto& [suffix, seconds] : units) {
        if (text.substr(digits) != suffix) continue;
        if (!std::isfinite(value * seconds)) refuse(what, text, "is out of range", wanted);
        return value * seconds;
    }
    refuse(what, text, fmt::format("has the unknown unit {}", quoted(text.substr(digits))), wanted);
}

std::string counted(std::uint64_t n, std::string_view singular) {
    return fmt::format("{} {}{}", n, singular, n == 1 ? "" : "s");
}

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
    if (b != 0 && a > count_max / b) does_not_fit(what);
    return a * b;
}

std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b, std::string_view what) {
    if (a > count_max - b) does_not_fit(what);
    return a + b;
}

}  // namespace kport
