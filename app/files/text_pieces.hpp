/// @file text_pieces.hpp   Buffered text output for millions of short lines.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string_view>
#include <vector>

namespace kport {

/// The last piece is written by flush(), not by the destructor: a stream may throw.
class TextPieces {
  public:
    explicit TextPieces(std::ostream& out) : out_(out), buffer_(piece) {}

    /// Appends texts and integers.
    template <class... Parts>
    void put(const Parts&... parts) {
        const std::size_t most = (letters_of(parts) + ...);
        if (most > buffer_.size() - used_) {
            flush();
            if (most > buffer_.size()) buffer_.resize(most);
        }
        (add(parts), ...);
    }
    void flush() {
        out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
        used_ = 0;
    }

  private:
    static constexpr std::size_t piece = 1 << 16;

    static std::size_t letters_of(std::string_view text) { return text.size(); }
    template <std::size_t size>
    static constexpr std::size_t letters_of(const char (&)[size]) {
        return size - 1;  // the length of a literal is known at compile time
    }
    template <std::unsigned_integral Number>
    static std::size_t letters_of(Number) {
        return std::numeric_limits<Number>::digits10 + 1;
    }
    template <std::size_t size>
    void add(const char (&text)[size]) {
        add(std::string_view(text, size - 1));
    }
    void add(std::string_view text) { used_ += text.copy(buffer_.data() + used_, text.size()); }
    template <std::unsigned_integral Number>
    void add(Number number) {
        char* const at = buffer_.data() + used_;
        used_ += static_cast<std::size_t>(std::to_chars(at, buffer_.data() + buffer_.size(), number).ptr - at);
    }

    std::ostream& out_;
    std::vector<char> buffer_;
    std::size_t used_ = 0;
};

}  // namespace kport
