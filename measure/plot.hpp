/// @file plot.hpp   Measured points, fitted lines and bounds as a picture (SVG), both axes logarithmic.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kport::measure {

/// Times are in seconds; everything is > 0.
struct PlotPoint {
    double x = 0;
    double measured = 0;
    double low = 0;  ///< the interval of what was measured
    double high = 0;
    double fitted = 0;            ///< not drawn where it is not > 0
    std::optional<double> bound;  ///< not drawn where it is not > 0
};

struct PlotSeries {
    std::string name;
    std::vector<PlotPoint> points;
};

enum class PlotAxis { bytes, nodes };

struct Plot {
    std::string title;
    PlotAxis axis = PlotAxis::bytes;
    std::vector<PlotSeries> series;  ///< at least one with at least one point
    std::string formula = "";        ///< of the fitted lines
};

/// The picture brings its own background, so that it can be read in light and dark surroundings. It grows with its legend
/// and its title; beyond eight series colours repeat.
[[nodiscard]] std::string svg_of(const Plot& plot);

}  // namespace kport::measure
