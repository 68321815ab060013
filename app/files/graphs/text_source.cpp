#include "app/files/graphs/text_source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

TextSource::TextSource(std::istream& in, std::string name, std::string_view kind)
    : in_(in), name_(std::move(name)), kind_(kind) {
    constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
    buffer_.resize(buffer_bytes);
}

bool TextSource::refill() {
    if (at_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
        base_ += at_;
        end_ -= at_;
        at_ = 0;
    }
    if (end_ == buffer_.size() || !in_) return false;
    in_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
    if (in_.bad()) refuse("it cannot be read to its end");
    end_ += static_cast<std::size_t>(in_.gcount());
    return in_.gcount() > 0;
}

std::string_view TextSource::ahead(std::size_t bytes) {
    while (end_ - at_ < bytes && refill()) continue;
    return {buffer_.data() + at_, std::min(bytes, end_ - at_)};
}

std::string_view TextSource::piece() {
    if (peek() == end_of_text) return {};
    const std::string_view all(buffer_.data() + at_, end_ - at_);
    at_ = end_;
    return all;
}

void TextSource::skip_blanks() {
    while (is_blank(peek())) ++at_;
}

void TextSource::skip_line() {
    while (peek() != end_of_text) {
        const void* newline = std::memchr(buffer_.data() + at_, '\n', end_ - at_);
        at_ = newline == nullptr ? end_ : static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data());
        if (newline != nullptr) {
            ++at_;
            begin_line();
            return;
        }
    }
}

std::string_view TextSource::word() {
    std::size_t length = 0;
    do {
        while (at_ + length < end_ && !is_blank(buffer_[at_ + length]) && buffer_[at_ + length] != '\n') ++length;
        if (length > word_max) refuse(place(), fmt::format("a word of more than {} bytes", word_max));
    } while (at_ + length == end_ && refill());
    const std::string_view found(buffer_.data() + at_, length);
    at_ += length;
    return found;
}

std::string_view TextSource::line() {
    const char* newline = nullptr;
    do {
        newline = static_cast<const char*>(std::memchr(buffer_.data() + at_, '\n', end_ - at_));
        if ((newline == nullptr ? end_ - at_ : static_cast<std::size_t>(newline - buffer_.data()) - at_) > line_max)
            refuse(place(), fmt::format("a line of more than {} bytes", line_max));
    } while (newline == nullptr && refill());
    const std::size_t end = newline == nullptr ? end_ : static_cast<std::size_t>(newline - buffer_.data());
    std::string_view found(buffer_.data() + at_, end - at_);
    at_ = end;
    if (newline != nullptr) {
        ++at_;
        begin_line();
    }
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found;
}

TextPlace TextSource::place() const {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return {static_cast<std::uint32_t>(std::min(line_, most)),
            static_cast<std::uint32_t>(std::min(base_ + at_ - line_begin_ + 1, most))};
}

void TextSource::refuse(const TextPlace& at, std::string_view why) const {
    throw RequestError(fmt::format("{} {}: line {}, column {}: {}", kind_, quoted(name_), at.line, at.column, why));
}

void TextSource::refuse(std::string_view why) const {
    throw RequestError(fmt::format("{} {}: {}", kind_, quoted(name_), why));
}

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

std::uint64_t read_count(TextSource& text, std::string_view what, std::uint64_t least, std::uint64_t most) {
    text.skip_blanks();
    const TextPlace at = text.place();
    if (text.at_line_end()) text.refuse(at, fmt::format("{} is missing", what));
    const std::string_view word = text.word();
    const auto count = to_count(word);
    if (!count || *count < least || *count > most)
        text.refuse(at,
                    most == count_max && least == 0
                        ? fmt::format("{} is {}; want a whole number", what, quoted(word))
                        : fmt::format("{} is {}; want a whole number from {} to {}", what, quoted(word), least, most));
    return *count;
}

double read_number(TextSource& text, std::string_view what) {
    text.skip_blanks();
    const TextPlace at = text.place();
    if (text.at_line_end()) text.refuse(at, fmt::format("{} is missing", what));
    const std::string_view word = text.word();
    const auto number = number_in(word);
    if (!number) text.refuse(at, fmt::format("{} is {}; want a finite number", what, quoted(word)));
    return *number;
}

void end_line(TextSource& text) {
    text.skip_blanks();
    if (!text.at_line_end()) text.refuse(text.place(), "one word too many in this line");
    text.skip_line();
}

bool at_line_of(TextSource& text, char comment) {
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (text.peek() != static_cast<unsigned char>(comment) && !text.at_line_end()) return true;
    }
    return false;
}

}  // namespace kport
