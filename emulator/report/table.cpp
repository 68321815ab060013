#include "emulator/report/table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kport {

namespace {

using Cells = std::vector<Cell>;
using Columns = std::vector<std::size_t>;  // numbers of columns, ascending

constexpr std::size_t usual_gap = 3;
constexpr std::size_t least_gap = 2;
constexpr std::size_t indent_below = 4;  // of a cell below its row
constexpr std::size_t hang_below = 6;

const Cell no_cell;
const Cell& cell_of(const Cells& row, std::size_t column) { return column < row.size() ? row[column] : no_cell; }

std::size_t longest_word(std::string_view text) {
    std::size_t longest = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        longest = std::max(longest, columns_of(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return longest;
}

/// Where each column goes.
struct Layout {
    Columns beside;
    std::vector<std::size_t> widths;  ///< of those
    Columns below;                    ///< each on lines of its own
};

/// Brings the rows of a table into lines of a width.
class Typesetter {
  public:
    Typesetter(const std::vector<Table::Column>& columns, std::size_t keys, const std::vector<Cells>& rows,
               const Paint& paint, std::size_t width)
        : columns_(columns), keys_(keys), rows_(rows), paint_(paint), width_(width) {
        for (const Table::Column& column : columns) heading_.push_back({column.heading});
        natural_.resize(columns.size());
        least_.resize(columns.size());
        measure(heading_);
        for (const Cells& row : rows) measure(row);
    }

    [[nodiscard]] std::string text() {
        Columns shown(columns_.size());
        std::iota(shown.begin(), shown.end(), std::size_t{0});
        std::erase_if(shown, [&](std::size_t column) { return column >= keys_ && is_empty(column); });
        std::string text = told_constants(shown);
        if (with_gaps(widths_of(shown, natural_)) > width_) gap_ = least_gap;
        if (const auto whole = layout(shown)) {
            write(text, *whole);
            return text;
        }
        bool first = true;
        for (const Columns& part : parts(shown)) {
            if (!std::exchange(first, false)) text += '\n';
            const auto fitting = layout(part);
            write(text, fitting ? *fitting : Layout{part, widths_of(part, least_), {}});
        }
        return text;
    }

  private:
    void measure(const Cells& row) {
        constexpr std::size_t narrow = 10;  // no text is broken into lines shorter than this
        std::vector<std::size_t>& sizes = sizes_.emplace_back();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string& text = cell_of(row, i).text;
            const std::size_t whole = columns_of(text);
            sizes.push_back(whole);
            natural_[i] = std::max(natural_[i], whole);
            least_[i] =
                std::max(least_[i], breakable(i) ? std::max(longest_word(text), std::min(whole, narrow)) : whole);
        }
    }

    [[nodiscard]] bool is_empty(std::size_t column) const {
        return !rows_.empty() &&
               std::ranges::all_of(rows_, [&](const Cells& row) { return cell_of(row, column).text.empty(); });
    }
    [[nodiscard]] bool is_text(std::size_t column) const { return columns_[column].align == Table::Align::left; }
    [[nodiscard]] bool breakable(std::size_t column) const { return column >= keys_ && is_text(column); }

    static std::vector<std::size_t> widths_of(const Columns& columns, const std::vector<std::size_t>& all) {
        std::vector<std::size_t> widths;
        for (const std::size_t column : columns) widths.push_back(all[column]);
        return widths;
    }
    [[nodiscard]] std::size_t with_gaps(const std::vector<std::size_t>& widths) const {
        return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + gap_ * (widths.size() - 1);
    }

    /// The column and those that are joined to it.
    [[nodiscard]] Columns group(std::size_t first) const {
        Columns columns = {first};
        for (std::size_t next = first + 1; next < columns_.size() && columns_[next].joined; ++next)
            columns.push_back(next);
        return columns;
    }

    // ---- rule 1: constant columns --------------------------------------------------------------------------------

    /// Null where rows differ; rows without the cell do not count.
    [[nodiscard]] const Cell* same_in_all_rows(std::size_t column) const {
        const Cell* same = nullptr;
        for (const Cells& row : rows_) {
            if (column >= row.size()) continue;
            if (same != nullptr && same->text != row[column].text) return nullptr;
            same = &row[column];
        }
        return same;
    }
    [[nodiscard]] bool droppable(const Columns& group, const Columns& shown) const {
        const auto keys = std::ranges::count_if(shown, [&](std::size_t column) { return column < keys_; });
        if (group.front() < keys_ && keys == 1) return false;
        return std::ranges::all_of(
            group, [&](std::size_t column) { return !columns_[column].stays && same_in_all_rows(column) != nullptr; });
    }
    /// "rounds 5 (bound 4)"; nothing of empty cells.
    [[nodiscard]] std::string told(const Columns& group) const {
        std::string text;
        for (const std::size_t column : group) {
            const Cell& same = *same_in_all_rows(column);
            if (same.text.empty()) continue;
            const std::string& heading = columns_[column].heading;
            const std::string one = (heading.empty() ? "" : heading + " ") + paint_(same.text, same.tone);
            text += text.empty() ? one : " (" + one + ")";
        }
        return text;
    }
    /// Takes constant columns out of those that are shown, as few as needed. Returns the line that tells them.
    [[nodiscard]] std::string told_constants(Columns& shown) const {
        if (rows_.size() < 2) return "";
        Columns constant;  // the first of each group
        for (const std::size_t column : shown)
            if (!columns_[column].joined && droppable(group(column), shown)) constant.push_back(column);
        std::ranges::stable_sort(constant, std::ranges::greater(),
                                 [&](std::size_t first) { return with_gaps(widths_of(group(first), natural_)); });
        Columns dropped;
        for (const std::size_t first : constant) {
            if (with_gaps(widths_of(shown, natural_)) <= width_) break;
            const Columns all = group(first);
            if (!droppable(all, shown)) continue;
            std::erase_if(shown, [&](std::size_t column) { return column >= all.front() && column <= all.back(); });
            dropped.push_back(first);
        }
        std::ranges::sort(dropped);
        std::vector<std::string> texts;
        for (const std::size_t first : dropped) texts.push_back(told(group(first)));
        std::erase(texts, "");
        return texts.empty() ? "" : wrapped(fmt::format("all rows: {}\n", fmt::join(texts, "; ")), hang_below, width_);
    }

    // ---- rule 3: cells in several lines, or below their rows -----------------------------------------------------

    /// Nothing where they do not fit, even with texts broken. A column that costs the fewest lines becomes narrower.
    [[nodiscard]] std::optional<std::vector<std::size_t>> widths_beside(const Columns& beside) const {
        std::vector<std::size_t> widths = widths_of(beside, natural_);
        for (std::size_t total = with_gaps(widths); total > width_; --total) {
            std::size_t best = beside.size();
            std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
            for (std::size_t i = 0; i < beside.size(); ++i) {
                if (widths[i] <= least_[beside[i]]) continue;
                --widths[i];
                const std::uint64_t lines = about_lines(beside, widths);
                ++widths[i];
                if (best < beside.size() && (lines > fewest || (lines == fewest && widths[i] <= widths[best])))
                    continue;
                best = i;
                fewest = lines;
            }
            if (best == beside.size()) return std::nullopt;
            --widths[best];
        }
        return widths;
    }
    /// As many as there are if words fill their lines.
    [[nodiscard]] std::uint64_t about_lines(const Columns& beside, const std::vector<std::size_t>& widths) const {
        std::uint64_t all = 0;
        for (const std::vector<std::size_t>& sizes : sizes_) {
            std::size_t highest = 1;
            for (std::size_t i = 0; i < beside.size(); ++i)
                highest = std::max(highest, (sizes[beside[i]] + widths[i] - 1) / std::max<std::size_t>(widths[i], 1));
            all += highest;
        }
        return all;
    }
    /// That of the fewest lines; cells below their row, which are hard to compare, must save a fifth of them. Nothing
    /// where the columns do not fit.
    [[nodiscard]] std::optional<Layout> layout(const Columns& columns) const {
        if (std::vector<std::size_t> widths = widths_of(columns, natural_); with_gaps(widths) <= width_)
            return Layout{columns, std::move(widths), {}};
        std::optional<Layout> best;
        std::ptrdiff_t fewest = 0;
        Layout tried{columns, {}, {}};
        while (true) {
            if (auto widths = widths_beside(tried.beside)) {
                tried.widths = std::move(*widths);
                std::string text;
                write(text, tried);
                const std::ptrdiff_t lines = std::ranges::count(text, '\n');
                if (!best || lines * 5 < fewest * 4) {
                    best = tried;
                    fewest = lines;
                }
            }
            if (tried.beside.size() < 2 || !breakable(tried.beside.back())) return best;
            tried.below.insert(tried.below.begin(), tried.beside.back());
            tried.beside.pop_back();
        }
    }

    // ---- rule 4: several tables ----------------------------------------------------------------------------------

    [[nodiscard]] std::vector<Columns> parts(const Columns& shown) const {
        constexpr std::size_t readable = 24;  // a text is not made narrower than this to avoid one more table
        Columns keys;
        std::vector<std::size_t> wanted;
        for (std::size_t column = 0; column < columns_.size(); ++column)
            wanted.push_back(std::max(least_[column], std::min(natural_[column], readable)));
        for (const std::size_t column : shown)
            if (column < keys_) keys.push_back(column);
        std::vector<Columns> parts = {keys};
        for (const std::size_t column : shown) {
            if (column < keys_ || columns_[column].joined) continue;
            const Columns more = group(column);
            Columns longer = parts.back();
            longer.insert(longer.end(), more.begin(), more.end());
            if (parts.back().size() > keys.size() && with_gaps(widths_of(longer, wanted)) > width_) {
                longer = keys;
                longer.insert(longer.end(), more.begin(), more.end());
                parts.push_back(std::move(longer));
            } else {
                parts.back() = std::move(longer);
            }
        }
        return parts;
    }

    // ---- writing -------------------------------------------------------------------------------------------------

    void write(std::string& text, const Layout& layout) const {
        write(text, layout, heading_);
        for (const Cells& row : rows_) write(text, layout, row);
    }
    void write(std::string& text, const Layout& layout, const Cells& row) const {
        std::vector<std::vector<std::string>> lines;  // of each cell
        std::size_t highest = 1;
        for (std::size_t i = 0; i < layout.beside.size(); ++i) {
            lines.push_back(lines_in(cell_of(row, layout.beside[i]).text, layout.beside[i], layout.widths[i]));
            highest = std::max(highest, lines.back().size());
        }
        for (std::size_t line = 0; line < highest; ++line) {
            std::size_t owed = 0;  // spaces that are written only if something follows
            for (std::size_t i = 0; i < layout.beside.size(); ++i) {
                const std::string part = line < lines[i].size() ? lines[i][line] : "";
                const std::size_t fill = layout.widths[i] - std::min(layout.widths[i], columns_of(part));
                const std::size_t before = is_text(layout.beside[i]) ? 0 : fill;
                owed += before;
                if (!part.empty()) {
                    text.append(owed, ' ');
                    text += paint_(part, cell_of(row, layout.beside[i]).tone);
                    owed = 0;
                }
                owed += fill - before + gap_;
            }
            text += '\n';
        }
        for (const std::size_t column : layout.below) {
            const Cell& cell = cell_of(row, column);
            if (cell.text.empty()) continue;
            text += wrapped(std::string(indent_below, ' ') + paint_(cell.text, cell.tone), hang_below, width_) + "\n";
        }
    }
    [[nodiscard]] std::vector<std::string> lines_in(const std::string& cell, std::size_t column,
                                                    std::size_t width) const {
        if (!breakable(column)) return {cell};
        std::vector<std::string> lines;
        const std::string broken = wrapped(cell, 0, width);
        for (std::size_t begin = 0; begin < broken.size();) {
            const std::size_t end = std::min(broken.find('\n', begin), broken.size());
            lines.push_back(broken.substr(begin, end - begin));
            begin = end + 1;
        }
        return lines;
    }

    const std::vector<Table::Column>& columns_;
    std::size_t keys_;
    const std::vector<Cells>& rows_;
    const Paint& paint_;
    std::size_t width_;
    std::size_t gap_ = usual_gap;
    Cells heading_;
    std::vector<std::vector<std::size_t>> sizes_;  ///< the columns that each cell takes, of the heading and the rows
    std::vector<std::size_t> natural_;             ///< the width of each column with its texts in one line
    std::vector<std::size_t> least_;               ///< and with its texts broken as far as they may be
};

}  // namespace

std::string Table::text(const Paint& paint, std::size_t width) const {
    return Typesetter(columns_, keys_, rows_, paint, width).text();
}

}  // namespace kport
