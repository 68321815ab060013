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

/// The lines of a file, one at a time. `\n` and `\r\n` end them; the last needs none.
///
/// Memory   the longest line, at most line_bytes_max.
/// Errors   RequestError for longer lines and for a NUL byte, which no text has.
class Lines {
  public:
    static constexpr std::size_t line_bytes_max = std::size_t{16} << 20;

    /// `what` begins the messages: "schedule 'x.txt'". The stream must outlive it. Throws RequestError where it cannot be read.
    Lines(std::istream& in, std::string what);

    /// Goes to the next line; false where there is none.
    [[nodiscard]] bool next();
    /// This line; valid until next().
    [[nodiscard]] std::string_view text() const { return line_; }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] const std::string& what() const { return what_; }

    /// Throws RequestError: "schedule 'x.txt': line 3, column 14: ...". Columns count bytes from 1.
    [[noreturn]] void refuse(std::size_t column, const std::string& why) const { refuse(what_, number_, column, why); }
    [[noreturn]] static void refuse(const std::string& what, std::uint64_t line, std::size_t column,
                                    const std::string& why);
    /// Of the file as a whole.
    [[noreturn]] void refuse(const std::string& why) const;

  private:
    [[nodiscard]] bool fill();

    std::istream& in_;
    std::string what_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::string long_line_;  ///< a line that lies in two buffers
    std::string_view line_;
    std::uint64_t number_ = 0;
};

/// A cursor in a line.
class LineCursor {
  public:
    explicit LineCursor(const Lines& lines) : LineCursor(lines.text(), lines.what(), lines.number()) {}
    /// A line with that number of a file; text and what must outlive it.
    LineCursor(std::string_view text, const std::string& what, std::uint64_t number)
        : text_(text), what_(what), number_(number) {}

    /// Passes blanks; whether nothing follows them.
    [[nodiscard]] bool at_end();
    /// The byte at the cursor; NUL at the end.
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    /// Passes blanks, and then these letters where they stand there.
    [[nodiscard]] bool take(std::string_view letters);
    /// The same for a word that no letter, digit or hyphen follows.
    [[nodiscard]] bool take_word(std::string_view word);
    /// Passes these letters, or refuses what stands there.
    void want(std::string_view letters, std::string_view after);
    /// A whole number without sign or leading zeros that fits 64 bits; nothing where none stands there.
    [[nodiscard]] std::optional<std::uint64_t> number();
    /// A number of at most `most`, or refuses what stands there: `what` is "a round".
    [[nodiscard]] std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most);
    /// What stands before the next of these letters, or the end, without blanks behind; it may be empty.
    [[nodiscard]] std::string_view until(std::string_view letters);
    /// Takes so many bytes back, or passes so many.
    void back(std::size_t bytes) { at_ -= bytes; }
    void forward(std::size_t bytes) { at_ += bytes; }
    /// What is left of the line.
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

    [[nodiscard]] std::size_t column() const { return at_ + 1; }
    /// Refuses what stands at the cursor.
    [[noreturn]] void refuse(const std::string& why) const { refuse(column(), why); }
    [[noreturn]] void refuse(std::size_t column, const std::string& why) const {
        Lines::refuse(what_, number_, column, why);
    }
    /// The same: "'x' is no round; want ...".
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
