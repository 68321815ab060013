/// @file table.hpp   Aligned columns that fit a width.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/report/terminal_text.hpp"

namespace KPORT_PUBLIC kport {

/// Rows of cells under a heading. Columns are three spaces apart and as wide as their longest text; one without a text in any row is
/// left out.
///
/// A table that is wider than it may be
///   1. leaves out columns that are the same in all rows, the widest first, as few as needed, and tells them once above;
///   2. moves them closer, two spaces apart;
///   3. breaks texts (the cells of left columns) into several lines, or puts the last ones below their rows where that
///      saves a fifth of the lines;
///   4. is cut into several tables, one below the other, each with the key columns.
/// Numbers (the cells of right columns) and words are never cut; one that is too long makes its line too long.
class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string heading;
        Align align = Align::left;
        bool joined = false;  ///< to the column before: rule 4 does not cut between them
        bool stays = false;  ///< rule 1 keeps it: what the table is about, or a time, which is the same by chance alone
    };

    /// The first `keys` columns say what a row is of.
    explicit Table(std::vector<Column> columns, std::size_t keys = 1) : columns_(std::move(columns)), keys_(keys) {}

    /// Missing cells at the end are empty.
    void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    /// Heading and rows, each ended by a newline, without spaces at the end of a line.
    [[nodiscard]] std::string text(const Paint& paint, std::size_t width = usual_width) const;

  private:
    std::vector<Column> columns_;
    std::size_t keys_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace kport
