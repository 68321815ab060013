#include "app/files/graphs/utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace kport {
namespace {

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7F; }

/// The bytes of the code point at the begin of the text, 0 where there is none (RFC 3629, section 4), or one that is a control
/// character (U+0080 to U+009F) or no character (U+FFFE, U+FFFF).
std::size_t code_point_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const auto within = [&](unsigned least, unsigned most) { return byte(1) >= least && byte(1) <= most; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first == 0xC2) return within(0xA0, 0xBF) ? 2 : 0;
    if (first > 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
    if (first == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0;
    if (first >= 0xE0 && first <= 0xEF)
        return within(first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && tail(2) ? 3 : 0;
    if (first >= 0xF0 && first <= 0xF4)
        return within(first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && tail(2) && tail(3) ? 4 : 0;
    return 0;
}

}  // namespace

bool is_plain_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t bytes = code_point_bytes(text);
        if (bytes == 0 || is_control(static_cast<unsigned char>(text.front()))) return false;
        text.remove_prefix(bytes);
    }
    return true;
}

std::string utf8_of(std::uint32_t code_point) {
    const auto tail = [&](unsigned shift) { return static_cast<char>(0x80U | (code_point >> shift & 0x3FU)); };
    if (code_point < 0x80) return {static_cast<char>(code_point)};
    if (code_point < 0x800) return {static_cast<char>(0xC0U | code_point >> 6), tail(0)};
    if (code_point < 0x10000) return {static_cast<char>(0xE0U | code_point >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xF0U | code_point >> 18), tail(12), tail(6), tail(0)};
}

std::string in_ascii(std::string_view text) {
    std::string ascii(text);
    std::ranges::replace_if(
        ascii, [](char c) { return c < ' ' || c > '~'; }, '?');
    return ascii;
}

std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c != ' ' && !is_control(static_cast<unsigned char>(c)))
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    if (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

}  // namespace kport
