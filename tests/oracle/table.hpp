/// @file table.hpp   Reads the oracle tables (tests/oracle/tables): a row is a map from column to cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/numbers.hpp"

namespace kport::oracle {

/// One line of a table, with the place it comes from for the message of a test that fails.
class Row {
  public:
    Row(std::string place, std::map<std::string, std::string> cells)
        : place_(std::move(place)), cells_(std::move(cells)) {}

    /// The cell as text. Throws std::out_of_range for an unknown column.
    [[nodiscard]] const std::string& operator[](const std::string& column) const { return cells_.at(column); }
    /// Whether the table has the column, and the row something in it.
    [[nodiscard]] bool has(const std::string& column) const {
        const auto cell = cells_.find(column);
        return cell != cells_.end() && !cell->second.empty();
    }
    /// The cell as a whole number. Throws std::runtime_error if it is none.
    [[nodiscard]] std::uint64_t number(const std::string& column) const {
        const auto value = to_count(cells_.at(column));
        if (!value) throw std::runtime_error(place_ + ": '" + cells_.at(column) + "' in " + column + " is no number");
        return *value;
    }
    /// Returns the number in a column; nothing if the table has no such column.
    [[nodiscard]] std::optional<std::uint64_t> number_if(const std::string& column) const {
        return cells_.contains(column) ? std::optional(number(column)) : std::nullopt;
    }
    /// "yes" is true, anything else is not.
    [[nodiscard]] bool yes(const std::string& column) const { return cells_.at(column) == "yes"; }
    /// "broadcast.csv:17".
    [[nodiscard]] const std::string& place() const { return place_; }

  private:
    std::string place_;
    std::map<std::string, std::string> cells_;
};

/// The cells of a comma-separated line; a cell in double quotes may hold commas and doubled quotes.
inline std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[++i];
        else if (c == '"')
            inside = !inside;
        else if (c == ',' && !inside)
            cells.emplace_back();
        else if (c != '\r')
            cells.back() += c;
    }
    return cells;
}

/// All rows of a file below tests/oracle. Throws std::runtime_error if it cannot be read or a row has too few cells.
inline std::vector<Row> rows_in(const std::string& path) {
    std::ifstream file(std::string(KPORT_SOURCE_DIR) + "/tests/oracle/" + path);
    std::string line;
    if (!std::getline(file, line)) throw std::runtime_error("cannot read tests/oracle/" + path);
    const std::vector<std::string> columns = cells_of(line);
    std::vector<Row> rows;
    for (int number = 2; std::getline(file, line); ++number) {
        const std::string place = path.substr(path.rfind('/') + 1) + ":" + std::to_string(number);
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() != columns.size()) throw std::runtime_error(place + ": not as many cells as columns");
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells[i];
        rows.emplace_back(place, std::move(row));
    }
    return rows;
}

/// A table of the independent reference.
inline std::vector<Row> table(const std::string& name) { return rows_in("tables/" + name + ".csv"); }
/// Whether the reference has one of that name: of operations that came later it has none.
inline bool has_table(const std::string& name) {
    return std::filesystem::exists(std::string(KPORT_SOURCE_DIR) + "/tests/oracle/tables/" + name + ".csv");
}

/// Each algorithm on small machines, counted by the umpire.
inline std::vector<Row> counted() { return rows_in("counted.csv"); }

}  // namespace kport::oracle
