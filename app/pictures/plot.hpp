/// @file plot.hpp   Points, lines through them and bounds as a picture (SVG). Axes are logarithmic unless some value is
///                  0.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kport::plots {

/// All values are >= 0.
struct PlotPoint {
    double x = 0;
    double measured = 0;
    double low = 0;  ///< measured interval
    double high = 0;
    double fitted = 0;            ///< the line; not drawn if it is not > 0 and the axis is logarithmic
    std::optional<double> bound;  ///< drawn as a line
};

struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;
};

/// number: logarithmic only if it spans two powers of ten; node: never. order, words: x is an index in Plot::places, which
/// have equal distances; lines connect those that have an order.
enum class PlotAxis { bytes, count, number, node, order, words };

struct Plot {
    std::string title;
    PlotAxis axis = PlotAxis::bytes;
    std::string along;                     ///< label of the horizontal axis: "bytes of a packet"
    std::string up;                        ///< label of the vertical axis: "time of one operation"
    bool seconds = true;                   ///< unit of the vertical axis; false: none
    std::string points;                    ///< meaning of the points in the legend: "measured, 95 % interval"
    std::string lines;                     ///< meaning of the lines: "fitted: r tr"
    std::string bounds;                    ///< meaning of the dotted lines: "lower bound"
    std::vector<PlotSeries> series;        ///< at least one with at least one point
    std::vector<std::string> notes = {};   ///< below the legend
    bool marks_crossings = false;          ///< where two curves change their order (crossings.hpp)
    std::vector<std::string> places = {};  ///< labels of an axis of order or of words
};

/// Returns "64 B", "1.5 KiB", "16 MiB".
[[nodiscard]] std::string size_label(double value);

/// Returns the picture. It has its own background, so that it is readable in light and dark surroundings, and grows
/// with legend and title; beyond eight series colours repeat with other marks. A bound on which all series agree
/// wherever they have samples in common is drawn once. Coinciding curves stay visible: they alternate along a line,
/// dots become rings, and the legend says which are equal everywhere. Notes say if there is only one sample, or if all
/// values are 0. Marks of crossings are rings with numbers, which the legend explains.
[[nodiscard]] std::string svg_of(const Plot& plot);

}  // namespace kport::plots
