/// @file compare_matrix.cpp   Algorithms by machines, coloured by what a run costs over its lower bound.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/story.hpp"
#include "app/pictures/svg.hpp"
#include "app/requests/compared.hpp"
#include "app/requests/plots.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

constexpr double matrix_text = 11;
constexpr double row_height = 22;

/// What a cell may say, in the order of the legend.
struct CellClass {
    std::string_view meaning;
    double below;  ///< ratios below this one are in it
    std::string_view fill;
    std::string_view ink;
};
constexpr std::array cell_classes{
    CellClass{"optimal", 0, colour::all, colour::paper},
    CellClass{"less than 1.5 times the bound", 1.5, "#f0c987", colour::ink},
    CellClass{"1.5 to 2 times", 2, "#d07f1e", colour::ink},
    CellClass{"2 to 4 times", 4, "#7d2440", colour::paper},
    CellClass{"4 times and more", HUGE_VAL, "#33104a", colour::paper},
    CellClass{"no bound known", 0, colour::gave, colour::ink},
    CellClass{"stopped", 0, colour::gave, colour::ink},
    CellClass{"breaks rules, does not deliver, or fails", 0, colour::paper, colour::broken},
    CellClass{"does not run here", 0, colour::paper, colour::faint}};
enum : std::size_t {
    optimal_cell = 0,
    first_ratio = 1,
    unbounded = 5,
    stopped_cell = 6,
    broken_cell = 7,
    absent_cell = 8
};

struct MatrixCell {
    std::size_t kind = absent_cell;  ///< index in cell_classes
    std::string text = "-";
};

MatrixCell cell_of(const Report& report, const QuantityRow& quantity) {
    const double measured = quantity.of(report.verdict.metrics);
    const std::optional<double>& bound = report.bounds[quantity.quantity].value;
    if (report.stopped) return {stopped_cell, "stopped"};
    if (!report.verdict.lawful()) return {broken_cell, "broken"};
    if (!bound) return {unbounded, number(measured)};
    if (meets(measured, *bound)) return {optimal_cell, "1"};
    if (*bound <= 0) return {unbounded, number(measured)};
    const double ratio = measured / *bound;
    std::size_t kind = first_ratio;
    while (ratio >= cell_classes.at(kind).below) ++kind;
    return {kind, ratio < 1000 ? fmt::format("{:.3g}", ratio) : grouped(std::round(ratio))};
}

/// Algorithms with a run on some machine, in the order in which they come.
std::vector<std::string> algorithms_in(const Comparisons& all) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view name) {
        if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    };
    for (const Comparison& machine : all.machines) {
        for (const Report& report : machine.reports) add(report.algorithm);
        for (const FailedRun& failure : machine.failures) add(failure.algorithm);
    }
    return names;
}

std::vector<MatrixCell> cells_of(const Comparison& machine, const std::vector<std::string>& algorithms,
                                 const QuantityRow& quantity) {
    std::vector<MatrixCell> cells(algorithms.size());
    const auto at = [&](std::string_view name) -> MatrixCell& {
        return cells[static_cast<std::size_t>(std::ranges::find(algorithms, name) - algorithms.begin())];
    };
    for (const Report& report : machine.reports) at(report.algorithm) = cell_of(report, quantity);
    for (const FailedRun& failure : machine.failures) at(failure.algorithm) = {broken_cell, "failed"};
    return cells;
}

std::string name_of_machine(const Variants& variants, std::size_t machine) {
    std::string name;
    for (std::size_t i = 0; i < variants.columns.size(); ++i)
        name += (name.empty() ? "" : ", ") + in_curve_name(variants.columns[i], variants.values[machine][i]);
    for (const std::string& value : variants.values[machine]) name = without_folders(std::move(name), value);
    return name;
}

/// Returns the y of the next line.
double put_matrix_legend(Svg& svg, const std::set<std::size_t>& kinds, double left, double y, double width) {
    double x = left;
    for (const std::size_t kind : kinds) {
        const CellClass& one = cell_classes.at(kind);
        const double wide = 22 + text_width(one.meaning, matrix_text) + 18;
        if (x > left && x + wide > width) {
            x = left;
            y += 18;
        }
        svg.box({x, y - 11, x + 16, y + 1}, one.fill, 0, kind == broken_cell ? colour::broken : colour::faint);
        svg.text(x + 22, y, one.meaning, {matrix_text, colour::ink, "start"});
        x += wide;
    }
    return y + 18;
}

}  // namespace

std::optional<std::string> compare_matrix(const Words& words, const Variants& variants, const Comparisons& all) {
    constexpr double edge = 22;
    constexpr double title_width = 900;
    const QuantityRow& quantity = quantity_named(words.get("--plot-of").value_or("latency"));
    const std::vector<std::string> algorithms = algorithms_in(all);
    if (algorithms.empty()) return std::nullopt;
    double names = 0;
    for (std::size_t i = 0; i < all.machines.size(); ++i)
        names = std::max(names, text_width(name_of_machine(variants, i), matrix_text));
    double longest = 0;
    for (const std::string& algorithm : algorithms) longest = std::max(longest, text_width(algorithm, matrix_text));
    const double column = 58;
    const double left = edge + names + 12;
    const double slope = std::sqrt(0.5);  // headings rise by 45 degrees
    const std::string title = title_of_plot(words, variants);
    const double width =
        std::max(title_width, left + column * static_cast<double>(algorithms.size()) + longest * slope + edge);
    Svg svg;
    double y = edge + 15;
    for (const std::string& line : lines_of(title, 15, width - 2 * edge)) {
        svg.text(edge, y, line, {15, colour::ink, "start", true});
        y += 21;
    }
    svg.text(edge, y, "run over lower bound: " + up_of(quantity, variants.experiments.front().machine.costs),
             {12, colour::faint, "start"});
    const double top = y + 24 + longest * slope;
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
        const double x = left + (static_cast<double>(a) + 0.5) * column;
        svg.begin_group("heading", "", fmt::format(" transform=\"rotate(-45 {:.1f} {:.1f})\"", x, top - 8));
        svg.text(x, top - 8, algorithms[a], {matrix_text, colour::ink, "start"});
        svg.end_group();
    }
    std::set<std::size_t> kinds;
    for (std::size_t i = 0; i < all.machines.size(); ++i) {
        const double above = top + static_cast<double>(i) * row_height;
        svg.text(left - 8, above + row_height / 2 + 4, name_of_machine(variants, i), {matrix_text, colour::ink, "end"});
        const std::vector<MatrixCell> cells = cells_of(all.machines[i], algorithms, quantity);
        for (std::size_t a = 0; a < cells.size(); ++a) {
            const MatrixCell& cell = cells[a];
            const CellClass& one = cell_classes.at(cell.kind);
            kinds.insert(cell.kind);
            const double x = left + static_cast<double>(a) * column;
            svg.begin_group("cell", fmt::format("{} on {}: {}, {}", algorithms[a], name_of_machine(variants, i),
                                                cell.text, one.meaning));
            svg.box({x, above, x + column, above + row_height}, one.fill, 0, colour::link);
            svg.text(x + column / 2, above + row_height / 2 + 4, cell.text, {matrix_text, one.ink, "middle"});
            svg.end_group();
        }
    }
    y = top + row_height * static_cast<double>(all.machines.size()) + 26;
    y = put_matrix_legend(svg, kinds, edge, y, width - edge);
    if (all.stopped)
        svg.text(edge, y, "stopped before all machines were compared", {matrix_text, colour::broken, "start"});
    return svg.file(width, y + 14, title, "algorithms by machines, run over lower bound");
}

}  // namespace kport::requests
