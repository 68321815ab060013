/// @file sheet.hpp   A sheet of SVG: a title, panels with the machine, a legend, and what there is to say.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "app/pictures/machine_drawing.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/svg.hpp"

namespace kport {

inline constexpr double sheet_edge = 22;
inline constexpr double sheet_text_size = 12;
inline constexpr double sheet_line_height = 17;

/// The machine with the messages of a round, or with several.
struct Panel {
    std::string heading;
    std::vector<DrawnNode> nodes;
    std::vector<Drawn> messages;
};

struct Sheet {
    std::vector<Panel> panels;
    std::string remark = {};
    std::vector<std::string> lines = {};  ///< facts below the legend
    /// Draws the legend at this place, and returns the y of the line below it; empty: that of messages and nodes.
    std::function<double(Svg&, double x, double y)> legend = {};
    double shape = PictureOptions::paper;  ///< height by width
    double seconds = 0;  ///< the panels take turns in one place, each for so long; 0: they stand side by side
};

/// Writes the title, the panels side by side, the legend, the lines, the remark and the first broken rules.
void put_sheet(std::ostream& out, const Story& story, const Sheet& sheet);

/// Returns how wide a sheet must be for its title.
[[nodiscard]] double width_of_title(const Story& story);
/// Puts title and cost at the top of a sheet. Returns the y of the next line.
double put_title(Svg& svg, const Story& story, double width);
/// Puts a text from y on, broken into lines of this width. Returns the y of the next line.
double put_lines(Svg& svg, std::string_view text, const TextStyle& style, double y, double width);
/// Puts the first broken rules from y on. Returns the y of the next line.
double put_broken_rules(Svg& svg, const Story& story, double y, double width);
/// Returns what a picture of a run with injected faults must say; empty where none was injected.
[[nodiscard]] std::string note_on_faults(const Story& story);

/// Returns "rounds 2 to 4", which the options name; empty where all are shown.
[[nodiscard]] std::string text_of_rounds(const Story& story, const PictureOptions& options);

}  // namespace kport
