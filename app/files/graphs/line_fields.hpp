/// @file line_fields.hpp   The fields of the lines of a table: which separator a text has, and a line taken apart by it.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

enum class Separator : unsigned char { blanks, tab, comma, semicolon };
/// "blanks", "tab", ...
[[nodiscard]] std::string_view name(Separator separator);
/// Reads --separator: a name or the character itself. Throws RequestError.
[[nodiscard]] Separator separator_named(std::string_view text);

/// A line of a table that is neither blank nor a comment, without blanks at its ends; nothing for any other line. A comment begins
/// with '#', '%' or '//'.
[[nodiscard]] std::optional<std::string_view> line_of_table(std::string_view line);

/// Takes lines apart. What stands in quotes or brackets does not separate.
class LineFields {
  public:
    struct Field {
        std::string_view text;  ///< without blanks at its ends, and without its quotes
        std::size_t column;     ///< in the line, from 0
        bool quoted;

        [[nodiscard]] bool ends_with_separator() const {
            return !quoted && text.size() > 1 && (text.ends_with(',') || text.ends_with(';'));
        }
    };

    /// Finds the separator that all lines of the text have, and whether every line stands in brackets. `separator` overrides.
    LineFields(std::string_view text, std::optional<Separator> separator);

    [[nodiscard]] Separator separator() const { return separator_; }
    /// Whether every line stands in brackets, which are no part of it.
    [[nodiscard]] bool in_brackets() const { return in_brackets_; }
    /// The fields of a line of the table; valid until the next call. Nothing if it does not stand in brackets and should.
    [[nodiscard]] std::optional<std::span<const Field>> apart(std::string_view line);

  private:
    std::vector<Field> fields_;
    std::deque<std::string> unescaped_;  ///< texts in which quotes were doubled
    Separator separator_ = Separator::blanks;
    bool in_brackets_ = false;
};

}  // namespace kport
