/// @file table.hpp   Aligned columns, and optional colour.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kport {

/// The meaning of a text; shown as a colour.
enum class Tone { plain, good, warning, bad };

/// Colours text, or leaves it alone.
class Paint {
  public:
    explicit Paint(bool colour) : colour_(colour) {}
    [[nodiscard]] std::string operator()(std::string_view text, Tone tone) const;

  private:
    bool colour_;
};

struct Cell {
    std::string text;
    Tone tone = Tone::plain;
};

/// Rows of cells under a heading. Columns are three spaces apart and as wide as their longest text; the letters
/// of non-ASCII text are counted as one column each.
class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string heading;
        Align align = Align::left;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// Missing cells at the end are empty.
    void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    /// Heading and rows, each ended by a newline, without spaces at the end of a line.
    [[nodiscard]] std::string text(const Paint& paint) const;

  private:
    [[nodiscard]] std::vector<std::size_t> widths() const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace kport
