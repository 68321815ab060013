#include "app/files/lines.hpp"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

namespace {
constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
}

Lines::Lines(std::istream& in, std::string what) : in_(in), what_(std::move(what)), buffer_(buffer_bytes) {
    if (!in_) refuse("cannot be read");
}

bool Lines::fill() {
    at_ = 0;
    end_ = 0;
    try {
        in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    } catch (const std::ios_base::failure&) {
        refuse("cannot be read");  // a folder's buffer throws whatever the stream's exceptions() are
    }
    if (in_.bad()) refuse("cannot be read to its end");
    end_ = static_cast<std::size_t>(in_.gcount());
    return end_ != 0;
}

bool Lines::next() {
    if (at_ == end_ && !fill()) return false;
    ++number_;
    long_line_.clear();
    for (;;) {
        const char* const begin = buffer_.data() + at_;
        const auto* const newline = static_cast<const char*>(std::memchr(begin, '\n', end_ - at_));
        const std::size_t length = newline == nullptr ? end_ - at_ : static_cast<std::size_t>(newline - begin);
        if (long_line_.size() + length > line_bytes_max)
            refuse(1, fmt::format("is longer than {} bytes; want shorter lines", line_bytes_max));
        if (newline != nullptr && long_line_.empty()) {
            line_ = {begin, length};
            at_ += length + 1;
            break;
        }
        long_line_.append(begin, length);
        at_ += length + (newline == nullptr ? 0 : 1);
        if (newline == nullptr && fill()) continue;
        line_ = long_line_;
        break;
    }
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);  // a byte order mark
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (const void* nul = std::memchr(line_.data(), '\0', line_.size()); !line_.empty() && nul != nullptr)
        refuse(static_cast<std::size_t>(static_cast<const char*>(nul) - line_.data()) + 1, "a NUL byte; want text");
    return true;
}

void Lines::refuse(const std::string& what, std::uint64_t line, std::size_t column, const std::string& why) {
    throw RequestError(fmt::format("{}: line {}, column {}: {}", what, line, column, why));
}

void Lines::refuse(const std::string& why) const { throw RequestError(fmt::format("{} {}", what_, why)); }

bool LineCursor::at_end() {
    skip_blanks();
    return at_ == text_.size();
}

bool LineCursor::take(std::string_view letters) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(letters)) return false;
    at_ += letters.size();
    return true;
}

bool LineCursor::take_word(std::string_view word) {
    skip_blanks();
    const auto of_a_word = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    };
    const std::string_view left = text_.substr(at_);
    if (!left.starts_with(word) || (left.size() > word.size() && of_a_word(left[word.size()]))) return false;
    at_ += word.size();
    return true;
}

void LineCursor::want(std::string_view letters, std::string_view after) {
    if (!take(letters)) refuse_here("", fmt::format("'{}' after {}", letters, after));
}

std::optional<std::uint64_t> LineCursor::number() {
    skip_blanks();
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || (*begin == '0' && stop - begin > 1)) return std::nullopt;
    at_ += static_cast<std::size_t>(stop - begin);
    return value;
}

std::uint64_t LineCursor::number(std::string_view what, std::uint64_t least, std::uint64_t most) {
    skip_blanks();
    const std::size_t begin = at_;
    const auto value = number();
    if (!value || *value < least || *value > most) {
        at_ = begin;
        refuse_here(what, fmt::format("a whole number from {} to {}", least, most));
    }
    return *value;
}

std::string_view LineCursor::until(std::string_view letters) {
    skip_blanks();
    const std::size_t end = std::min(text_.find_first_of(letters, at_), text_.size());
    std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    while (found.ends_with(' ') || found.ends_with('\t')) found.remove_suffix(1);
    return found;
}

void LineCursor::refuse_here(std::string_view is_not, std::string_view wanted) const {
    const std::string_view left = text_.substr(at_);
    const std::string_view first = left.substr(0, left.find_first_of(" \t,", 1));
    if (left.empty()) refuse(fmt::format("the line ends here; want {}", wanted));
    refuse(
        fmt::format("{}{}; want {}", quoted(first), is_not.empty() ? "" : fmt::format(" is not {}", is_not), wanted));
}

}  // namespace kport
