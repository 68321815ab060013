/// @file text_source.hpp   A text that is read once, front to back, with the line and column of every word; its numbers, and names for reports.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// Line and column of a byte, from 1; beyond 32 bits they stay there.
struct TextPlace {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// Reads a stream in pieces, so a text of any length takes no memory. What is wrong in it ends as RequestError with the place.
class TextSource {
  public:
    static constexpr int end_of_text = -1;
    /// No name or number needs more, and no word takes more memory.
    static constexpr std::size_t word_max = 4096;
    /// No line that is taken as a whole has more bytes.
    static constexpr std::size_t line_max = std::size_t{1} << 17;

    /// `name` stands in the messages, as that of a graph or whatever `kind` says.
    TextSource(std::istream& in, std::string name, std::string_view kind = "graph");

    [[nodiscard]] const std::string& name() const { return name_; }

    /// The next byte, or end_of_text.
    [[nodiscard]] int peek() { return at_ < end_ || refill() ? static_cast<unsigned char>(buffer_[at_]) : end_of_text; }
    /// Reads the next byte, and returns it as peek().
    int get() {
        const int c = peek();
        if (c == end_of_text) return c;
        ++at_;
        if (c == '\n') begin_line();
        return c;
    }
    /// What comes next, at most so many bytes (up to a buffer's size); nothing is read.
    [[nodiscard]] std::string_view ahead(std::size_t bytes);
    /// All that is in the buffer, at least a byte, and it is read; empty at the end. Lines are not counted.
    [[nodiscard]] std::string_view piece();

    /// Leaves out spaces, tabs and carriage returns.
    void skip_blanks();
    /// At the end of a line or of the text.
    [[nodiscard]] bool at_line_end() {
        const int c = peek();
        return c == '\n' || c == end_of_text;
    }
    /// To the begin of the next line.
    void skip_line();
    /// The bytes up to white space; valid until the next call. Refuses more than word_max.
    [[nodiscard]] std::string_view word();
    /// The rest of the line, without its end; the text goes on with the next line. Valid until the next call. Refuses more than
    /// line_max bytes.
    [[nodiscard]] std::string_view line();

    /// Of the next byte.
    [[nodiscard]] TextPlace place() const;
    /// Throws RequestError: "graph 'x': line 3, column 7: why".
    [[noreturn]] void refuse(const TextPlace& at, std::string_view why) const;
    /// Of the text as a whole: "graph 'x': why".
    [[noreturn]] void refuse(std::string_view why) const;

  private:
    /// Keeps what is not read yet, and reads on. False at the end of the text.
    bool refill();
    void begin_line() {
        ++line_;
        line_begin_ = base_ + at_;
    }

    std::istream& in_;
    std::string name_;
    std::string_view kind_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::uint64_t base_ = 0;  ///< of the buffer in the text
    std::uint64_t line_ = 1;
    std::uint64_t line_begin_ = 0;
};

/// White space in one line.
[[nodiscard]] constexpr bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Well-formed UTF-8 (RFC 3629) without control characters.
[[nodiscard]] bool is_plain_utf8(std::string_view text);
/// The bytes of a code point.
[[nodiscard]] std::string utf8_of(std::uint32_t code_point);
/// With '?' for every byte that is no printable ASCII.
[[nodiscard]] std::string in_ascii(std::string_view text);
/// Without blanks at both ends; each run of blanks and control characters is one space.
[[nodiscard]] std::string in_one_line(std::string_view text);

/// The whole number that stands next in this line. Refuses anything else, and a number that is not from `least` to `most`; `what` is
/// "the number of rows".
[[nodiscard]] std::uint64_t read_count(TextSource& text, std::string_view what, std::uint64_t least,
                                       std::uint64_t most);
/// The finite number that stands next in this line.
[[nodiscard]] double read_number(TextSource& text, std::string_view what);
/// To the begin of the next line; refuses what is left of this one.
void end_line(TextSource& text);
/// Passes blank lines and those that begin with `comment`; whether another line follows.
[[nodiscard]] bool at_line_of(TextSource& text, char comment);

}  // namespace kport
