/// @file bounds_picture.cpp   What a run costs beside each argument for a lower bound, as bars.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/sheet.hpp"
#include "emulator/report/words.hpp"

namespace kport {
namespace {

constexpr double row_text = 11;
constexpr double names_width = 330;
constexpr double bars_left = sheet_edge + names_width + 14;
constexpr double bars_width = 400;
constexpr double values_width = 120;
constexpr double bar_height = 13;

constexpr std::string_view binding_fill = "#4a5560";
constexpr std::string_view argument_fill = "#aab4bd";

/// A bar, its name at the left and its value at the right.
struct Bar {
    std::string name;
    std::string source;
    double value = 0;
    std::string_view fill;
};

/// How a run stands to its bound in one quantity.
struct Comparing {
    std::string says;
    std::string_view fill;  ///< of the bar of the run
    bool is_below = false;
};

Comparing compared(const Story& story, double measured, const std::optional<double>& bound) {
    if (!bound) return {"no bound known", colour::message};
    if (meets(measured, *bound)) return {"meets the bound", colour::all};
    if (measured > *bound)
        return {*bound > 0 ? fmt::format("{:.3g} times the bound", measured / *bound) : std::string("above the bound"),
                colour::message};
    if (!story.verdict.lawful()) return {"below the bound, which holds for lawful runs only", colour::broken, true};
    return {"BELOW the bound: one of the two is wrong", colour::broken, true};
}

std::vector<Bar> bars_of(const Story& story, const QuantityRow& quantity, const Comparing& run) {
    const double measured = quantity.of(story.verdict.metrics);
    std::vector<Bar> bars{{"run", "", measured, run.fill}};
    for (const BoundArgument& argument : story.arguments[quantity.quantity]) {
        const bool is_binding = bars.size() == 1;
        const bool is_above = argument.value > measured && !meets(measured, argument.value);
        bars.push_back({argument.name, argument.source, argument.value,
                        is_above     ? colour::broken
                        : is_binding ? binding_fill
                                     : argument_fill});
    }
    if (const auto& bound = story.bounds[quantity.quantity]; bound && bars.size() == 1)
        bars.push_back({"lower bound", "", *bound, run.is_below ? colour::broken : binding_fill});
    return bars;
}

/// Draws a bar with its name from y on. Returns the y below it.
double put_bar(Svg& svg, const Bar& bar, double scale, double y) {
    const std::string name = bar.source.empty() ? bar.name : fmt::format("{} ({})", bar.name, bar.source);
    svg.begin_group("bar", fmt::format("{}: {}", name, grouped(bar.value)));
    const double length = bar.value * scale;
    svg.box({bars_left, y, bars_left + std::max(length, 1.0), y + bar_height}, bar.fill);
    svg.text(bars_left + length + 6, y + bar_height - 3, grouped(bar.value), {row_text, colour::ink, "start"});
    double line_at = y + bar_height - 3;
    for (const std::string& line : lines_of(name, row_text, names_width)) {
        svg.text(bars_left - 8, line_at, line, {row_text, colour::ink, "end"});
        line_at += row_text * 1.3;
    }
    svg.end_group();
    return std::max(y + bar_height + 5, line_at - row_text + 7);
}

/// Draws the bars of a quantity. Returns the y below them.
double put_quantity(Svg& svg, const Story& story, const QuantityRow& quantity, double y) {
    const double measured = quantity.of(story.verdict.metrics);
    const Comparing run = compared(story, measured, story.bounds[quantity.quantity]);
    svg.text(sheet_edge, y, quantity.label(), {13, colour::ink, "start", true});
    svg.text(bars_left, y, run.says, {row_text, run.is_below ? colour::broken : colour::faint, "start"});
    y += 9;
    const std::vector<Bar> bars = bars_of(story, quantity, run);
    const double most = std::ranges::max_element(bars, {}, &Bar::value)->value;
    const double scale = most > 0 ? bars_width / most : 0;
    const double top = y;
    for (const Bar& bar : bars) y = put_bar(svg, bar, scale, y);
    const double end = bars_left + measured * scale;
    svg.line({end, top + bar_height}, {end, y - 4}, colour::faint, 1, " stroke-dasharray=\"3 3\"");
    return y + 20;
}

/// Draws samples of what occurs, in one line.
void put_samples_of_bars(Svg& svg, const Story& story, double y) {
    double x = sheet_edge;
    const auto sample = [&](std::string_view fill, std::string_view says) {
        svg.box({x, y - 9, x + 22, y + 1}, fill);
        svg.text(x + 28, y, says, {row_text, colour::ink, "start"});
        x += 28 + text_width(says, row_text) + 18;
    };
    bool meets_some = false;
    bool above = false;
    bool below = false;
    bool others = false;
    for (const QuantityRow& row : quantity_rows) {
        const Comparing run = compared(story, row.of(story.verdict.metrics), story.bounds[row.quantity]);
        meets_some |= run.fill == colour::all;
        above |= run.fill == colour::message;
        below |= run.is_below;
        others |= story.arguments[row.quantity].size() > 1;
    }
    if (meets_some) sample(colour::all, "run that meets the bound");
    if (above) sample(colour::message, "run");
    if (below) sample(colour::broken, "run below a bound, and the bound above it");
    sample(binding_fill, "the largest argument: the lower bound");
    if (others) sample(argument_fill, "another argument");
}

}  // namespace

void write_bounds(std::ostream& out, const Story& story, const PictureOptions&) {
    const double width = std::max(width_of_title(story), bars_left + bars_width + values_width + sheet_edge);
    Svg svg;
    double y = put_title(svg, story, width) + 14;
    for (const QuantityRow& row : quantity_rows) y = put_quantity(svg, story, row, y);
    put_samples_of_bars(svg, story, y);
    y += sheet_line_height + 4;
    std::string remark = "no lawful schedule costs less than any of the arguments; the dashed line is the run";
    if (const std::string note = note_on_faults(story); !note.empty()) remark += "; " + note;
    y = put_lines(svg, remark, {row_text, colour::faint, "start"}, y, width);
    y = put_broken_rules(svg, story, y, width);
    out << svg.file(width, y, story.title, story.cost);
}

}  // namespace kport
