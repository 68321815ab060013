/// @file lines.hpp   Text read line by line: bounded memory, and errors that name file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// Reads a file line by line. `\n` and `\r\n` end a line; the last one needs no end.
///
/// Memory   the longest line, at most line_bytes_max.
/// Errors   RequestError for longer lines and for a NUL byte.
class Lines {
  public:
    static constexpr std::size_t line_bytes_max = std::size_t{16} << 20;

    /// `what` begins the messages: "schedule 'x.txt'". The stream must outlive it. Throws RequestError if it cannot be
    /// read.
    Lines(std::istream& in, std::string what);

    /// Goes to the next line. Returns false if there is none.
    [[nodiscard]] bool next();
    /// Returns this line; valid until next().
    [[nodiscard]] std::string_view text() const { return line_; }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] const std::string& what() const { return what_; }

    /// Throws RequestError: "schedule 'x.txt': line 3, column 14: ...". Columns count bytes from 1.
    [[noreturn]] void refuse(std::size_t column, const std::string& why) const { refuse(what_, number_, column, why); }
    [[noreturn]] static void refuse(const std::string& what, std::uint64_t line, std::size_t column,
                                    const std::string& why);
    /// Throws RequestError about the file as a whole.
    [[noreturn]] void refuse(const std::string& why) const;

  private:
    [[nodiscard]] bool fill();

    std::istream& in_;
    std::string what_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::string long_line_;  ///< a line that spans two buffers
    std::string_view line_;
    std::uint64_t number_ = 0;
};

/// A cursor in a line.
class LineCursor {
  public:
    explicit LineCursor(const Lines& lines) : LineCursor(lines.text(), lines.what(), lines.number()) {}
    /// A line of a file and its number; `text` and `what` must outlive it.
    LineCursor(std::string_view text, const std::string& what, std::uint64_t number)
        : text_(text), what_(what), number_(number) {}

    /// Skips blanks. Returns whether nothing follows them.
    [[nodiscard]] bool at_end();
    /// Returns the byte at the cursor; NUL at the end.
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    /// Skips blanks, then these letters. Returns whether the letters were there.
    [[nodiscard]] bool take(std::string_view letters);
    /// take() for a word that is not followed by a letter, digit or hyphen.
    [[nodiscard]] bool take_word(std::string_view word);
    /// Skips these letters. Throws RequestError if something else is there.
    void want(std::string_view letters, std::string_view after);
    /// Reads an integer without sign or leading zeros that fits 64 bits; nothing if there is none.
    [[nodiscard]] std::optional<std::uint64_t> number();
    /// Reads a number of `least` to `most`. Throws RequestError if something else is there; `what` is "a round".
    [[nodiscard]] std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most);
    /// Returns the text up to the next of these letters, or the end, without trailing blanks; may be empty.
    [[nodiscard]] std::string_view until(std::string_view letters);
    /// Moves the cursor back by so many bytes, or forward.
    void back(std::size_t bytes) { at_ -= bytes; }
    void forward(std::size_t bytes) { at_ += bytes; }
    /// Returns the rest of the line.
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

    [[nodiscard]] std::size_t column() const { return at_ + 1; }
    /// Throws RequestError at the cursor.
    [[noreturn]] void refuse(const std::string& why) const { refuse(column(), why); }
    [[noreturn]] void refuse(std::size_t column, const std::string& why) const {
        Lines::refuse(what_, number_, column, why);
    }
    /// Throws RequestError at the cursor: "'x' is no round; want ...".
    [[noreturn]] void refuse_here(std::string_view is_not, std::string_view wanted) const;

  private:
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    std::string_view text_;
    const std::string& what_;
    std::uint64_t number_;
    std::size_t at_ = 0;
};

}  // namespace kport
