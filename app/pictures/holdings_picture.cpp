/// @file holdings_picture.cpp   What each node holds after each round: a row for each node, a column for each round.
#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/machine_drawing.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/sheet.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

namespace kport {
namespace {

constexpr double cell_text_size = 10;
constexpr double heading_size = 11;

/// A node after a round.
struct HeldCell {
    Has has = Has::nothing;
    std::uint64_t packets = 0;

    bool operator==(const HeldCell&) const = default;
};

struct Matrix {
    std::vector<std::vector<HeldCell>> columns;  ///< before the first round shown, then after each
    std::vector<std::string> headings;
    std::uint64_t most = 0;  ///< packets in a cell
};

Matrix matrix_of(const Story& story, const PictureOptions& options) {
    const std::vector<Step> all = steps_of(story);
    const std::span<const Step> steps = shown(all, options);
    NodeStates states(story);
    Matrix matrix;
    const auto put = [&](std::string heading) {
        std::vector<HeldCell>& column = matrix.columns.emplace_back();
        for (NodeId v = 0; v < story.topology().nodes(); ++v) {
            column.push_back({states.has(v), states.held(v).size()});
            matrix.most = std::max(matrix.most, column.back().packets);
        }
        matrix.headings.push_back(std::move(heading));
    };
    for (const Step& step : all)
        if (&step < steps.data()) states.take(step);
    put(steps.empty() || &steps.front() == all.data() ? "start" : fmt::format("<{}", steps.front().round));
    for (const Step& step : steps) {
        states.take(step);
        put(fmt::to_string(step.round));
    }
    return matrix;
}

/// Sizes that let all be read, or that fit on a sheet.
struct MatrixSizes {
    double left = 0;    ///< of the first column
    double top = 0;     ///< of the first row
    double width = 0;   ///< of a column
    double height = 0;  ///< of a row
    bool numbers = false;
};

MatrixSizes sizes_of(const Story& story, const Matrix& matrix, double top) {
    constexpr std::size_t rows_of_texts = 128;
    constexpr std::size_t columns_of_texts = 64;
    MatrixSizes sizes;
    const std::size_t rows = story.topology().nodes();
    const bool texts = rows <= rows_of_texts && matrix.columns.size() <= columns_of_texts;
    double widest = text_width("start", heading_size);
    for (const std::string& heading : matrix.headings) widest = std::max(widest, text_width(heading, heading_size));
    if (texts) widest = std::max(widest, text_width(grouped_count(matrix.most), cell_text_size));
    sizes.numbers = texts && has_labels(story);
    sizes.width =
        texts ? widest + 10 : std::clamp(1200.0 / static_cast<double>(matrix.columns.size()), 2.0, widest + 10);
    sizes.height = rows <= rows_of_texts ? 18 : std::clamp(2000.0 / static_cast<double>(rows), 2.0, 18.0);
    sizes.left = sheet_edge + text_width(fmt::to_string(rows - 1), heading_size) + 12;
    sizes.top = top + 2 * heading_size + 14;
    return sizes;
}

/// Every how many of the lines can have a text, which is so high or so wide: 1, 2, 5, 10, 20, ...
std::size_t lines_between_texts(double of_line, double of_text) {
    for (std::size_t ten = 1;; ten *= 10)
        for (const std::size_t times : {1U, 2U, 5U})
            if (of_line * static_cast<double>(ten * times) >= of_text) return ten * times;
}

void put_headings(Svg& svg, const Story& story, const Matrix& matrix, const MatrixSizes& sizes) {
    const std::size_t columns = matrix.columns.size();
    svg.text(sizes.left, sizes.top - heading_size - 12, "after round", {heading_size, colour::ink, "start", true});
    double widest = 0;
    for (const std::string& heading : matrix.headings) widest = std::max(widest, text_width(heading, heading_size));
    const std::size_t each_column = lines_between_texts(sizes.width, widest + 6);
    for (std::size_t c = 0; c < columns; c += each_column)
        svg.text(sizes.left + (static_cast<double>(c) + 0.5) * sizes.width, sizes.top - 6, matrix.headings[c],
                 {heading_size, colour::ink, "middle"});
    const std::size_t each_row = lines_between_texts(sizes.height, heading_size + 2);
    for (NodeId v = 0; v < story.topology().nodes(); v += each_row)
        svg.text(sizes.left - 8, sizes.top + (static_cast<double>(v) + 0.5) * sizes.height + heading_size * 0.36,
                 fmt::to_string(v), {heading_size, colour::ink, "end"});
}

/// Equal neighbours in a row are one box, unless each has its number.
void put_cells(Svg& svg, const Story& story, const Matrix& matrix, const MatrixSizes& sizes) {
    const std::size_t columns = matrix.columns.size();
    const bool lines = sizes.width >= 8 && sizes.height >= 8;
    svg.begin_group("cells", "", without_gaps);
    for (NodeId v = 0; v < story.topology().nodes(); ++v) {
        const double top = sizes.top + static_cast<double>(v) * sizes.height;
        for (std::size_t c = 0; c < columns;) {
            const std::size_t begin = c;
            const HeldCell cell = matrix.columns[c][v];
            do ++c;
            while (c < columns && !sizes.numbers && !lines && matrix.columns[c][v].has == cell.has);
            const Box box{sizes.left + static_cast<double>(begin) * sizes.width, top,
                          sizes.left + static_cast<double>(c) * sizes.width, top + sizes.height};
            svg.box(box, fill_of(cell.has), 0, lines ? colour::link : "none");
            if (sizes.numbers && cell.packets > 0)
                svg.text((box.left + box.right) / 2, (box.top + box.bottom) / 2 + cell_text_size * 0.36,
                         grouped_count(cell.packets),
                         {cell_text_size, cell.has == Has::all ? colour::paper : colour::ink, "middle"});
        }
    }
    svg.end_group();
    svg.box({sizes.left, sizes.top, sizes.left + static_cast<double>(columns) * sizes.width,
             sizes.top + static_cast<double>(story.topology().nodes()) * sizes.height},
            "none", 0, colour::faint);
}

/// Marks the nodes at which a rule is broken, in the round in which it is. Returns whether there is one.
bool put_broken_cells(Svg& svg, const Story& story, const MatrixSizes& sizes, std::span<const Step> steps) {
    bool any = false;
    for (std::size_t c = 0; c < steps.size(); ++c) {
        std::set<NodeId> nodes;
        for (const std::size_t i : steps[c].violations) nodes.insert(story.verdict.violations[i].node);
        for (const NodeId v : nodes) {
            if (v >= story.topology().nodes()) continue;
            any = true;
            const double left = sizes.left + static_cast<double>(c + 1) * sizes.width;
            const double top = sizes.top + static_cast<double>(v) * sizes.height;
            const double in = std::min({1.0, sizes.width / 4, sizes.height / 4});
            svg.box({left + in, top + in, left + sizes.width - in, top + sizes.height - in}, "none", 0, colour::broken,
                    std::min(2.0, sizes.height / 3));
        }
    }
    return any;
}

/// Samples of what occurs. Returns the y of the next line.
double put_samples_of_cells(Svg& svg, const Story& story, const Matrix& matrix, double y, bool any_broken) {
    std::set<Has> occur;
    for (const std::vector<HeldCell>& column : matrix.columns)
        for (const HeldCell& cell : column) occur.insert(cell.has);
    double x = sheet_edge;
    const auto put = [&](std::string_view fill, std::string_view stroke, double thick, std::string_view says) {
        svg.box({x, y - 11, x + 16, y + 1}, fill, 0, stroke, thick);
        svg.text(x + 22, y, says, {heading_size, colour::ink, "start"});
        x += 22 + text_width(says, heading_size) + 18;
    };
    for (const Meaning& meaning : meanings_of(story))
        if (occur.contains(meaning.has)) put(fill_of(meaning.has), colour::faint, 1, meaning.says);
    if (any_broken) put("none", colour::broken, 2, "a rule is broken");
    return y + sheet_line_height + 4;
}

std::string noun_of_numbers(const Story& story) {
    if (story.collective.signals()) return "of how many it knows that they have entered";
    return story.collective.folds() ? "the contributions that it holds" : "the packets that it holds";
}

}  // namespace

void write_holdings(std::ostream& out, const Story& story, const PictureOptions& options) {
    constexpr std::size_t columns_most = 4000;
    const Matrix matrix = matrix_of(story, options);
    if (matrix.columns.size() > columns_most + 1)
        throw RequestError(
            fmt::format("a picture of the kind holdings shows at most {} rounds, these are {}; --rounds "
                        "1-{} shows some rounds",
                        grouped_count(columns_most), grouped_count(matrix.columns.size() - 1), columns_most));
    Svg svg;
    MatrixSizes sizes = sizes_of(story, matrix, 0);
    const double width = std::max(width_of_title(story),
                                  sizes.left + sizes.width * static_cast<double>(matrix.columns.size()) + sheet_edge);
    sizes = sizes_of(story, matrix, put_title(svg, story, width));
    const std::vector<Step> all = steps_of(story);
    put_headings(svg, story, matrix, sizes);
    put_cells(svg, story, matrix, sizes);
    const bool any_broken = put_broken_cells(svg, story, sizes, shown(all, options));
    double y = sizes.top + static_cast<double>(story.topology().nodes()) * sizes.height + sheet_line_height + 6;
    y = put_samples_of_cells(svg, story, matrix, y, any_broken);
    std::string remark = "a row for each node, a column for each round in which something moves";
    if (sizes.numbers) remark += "; the numbers: " + noun_of_numbers(story);
    if (const std::string note = note_on_faults(story); !note.empty()) remark += "; " + note;
    y = put_lines(svg, remark, {11, colour::faint, "start"}, y, width);
    y = put_broken_rules(svg, story, y, width);
    out << svg.file(width, y, story.title, story.cost);
}

}  // namespace kport
