#include "emulator/report/table.hpp"

#include <algorithm>
#include <utility>

namespace kport {

namespace {

/// Code points, which for the texts here are columns.
std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view code(Tone tone) {
    switch (tone) {
        case Tone::good: return "\033[32m";
        case Tone::warning: return "\033[33m";
        case Tone::bad: return "\033[31m";
        case Tone::plain: break;
    }
    return {};
}

}  // namespace

std::string Paint::operator()(std::string_view text, Tone tone) const {
    if (!colour_ || tone == Tone::plain || text.empty()) return std::string(text);
    return std::string(code(tone)) + std::string(text) + "\033[0m";
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_) widths.push_back(columns_of(column.heading));
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i].text));
    return widths;
}

std::string Table::text(const Paint& paint) const {
    constexpr std::size_t gap = 3;
    const std::vector<std::size_t> wide = widths();
    std::string text;
    const auto line = [&](const std::vector<Cell>& cells) {
        std::size_t owed = 0;  // spaces that are written only if something follows
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::size_t fill = wide[i] - columns_of(cells[i].text);
            const std::size_t before = columns_[i].align == Align::right ? fill : 0;
            owed += before;
            if (!cells[i].text.empty()) {
                text.append(owed, ' ');
                text += paint(cells[i].text, cells[i].tone);
                owed = 0;
            }
            owed += fill - before + gap;
        }
        text += '\n';
    };
    std::vector<Cell> headings;
    for (const Column& column : columns_) headings.push_back({column.heading});
    line(headings);
    for (const auto& row : rows_) line(row);
    return text;
}

}  // namespace kport
