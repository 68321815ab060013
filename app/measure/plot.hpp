/// @file plot.hpp   Points, lines through them and bounds as a picture (SVG). Axes are logarithmic unless some value is 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kport::measure {

/// Everything is >= 0.
struct PlotPoint {
    double x = 0;
    double measured = 0;
    double low = 0;  ///< the interval of what was measured
    double high = 0;
    double fitted = 0;            ///< the line; not drawn where it is not > 0 and the axis is logarithmic
    std::optional<double> bound;  ///< as the line
};

struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;
};

/// Of a number the axis is logarithmic only if it spans two powers of ten, of a node never.
enum class PlotAxis { bytes, count, number, node };

struct Plot {
    std::string title;
    PlotAxis axis = PlotAxis::bytes;
    std::string along;                    ///< the axis below: "bytes of a packet"
    std::string up;                       ///< the axis at the left: "time of one operation"
    bool seconds = true;                  ///< the unit of what stands at the left; else it has none
    std::string points;                   ///< in the legend, what the points are: "measured, 95 % interval"
    std::string lines;                    ///< what the lines through them are: "fitted: r tr"
    std::string bounds;                   ///< what the dotted lines are: "lower bound"
    std::vector<PlotSeries> series;       ///< at least one with at least one point
    std::vector<std::string> notes = {};  ///< below the legend
};

/// "64 B", "1.5 KiB", "16 MiB".
[[nodiscard]] std::string size_label(double value);

/// The picture brings its own background, so that it can be read in light and dark surroundings. It grows with its legend
/// and its title; beyond eight series colours repeat with other marks. A bound on which all series agree, wherever
/// they have samples in common, is drawn once, over the samples of all. Where curves coincide all are
/// seen: they take turns along a line, dots are rings around others, and the legend names those that are the same everywhere.
/// It says where there is one sample, without a line, and where all values are 0.
[[nodiscard]] std::string svg_of(const Plot& plot);

}  // namespace kport::measure
