#include "app/files/graphs/text_source.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

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

}  // namespace kport
