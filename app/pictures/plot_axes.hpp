/// @file plot_axes.hpp   The axes of a plot: positions of values, and the values written at them.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "app/pictures/plot.hpp"

namespace kport::plots {

/// A value on an axis and its position.
struct Tick {
    double value;
    std::string label;
};

/// The range of an axis.
struct Scale {
    bool linear = false;  ///< else logarithmic
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    [[nodiscard]] bool takes(double value) const { return value > 0 || (linear && value == 0); }
    void include(double value);
    /// Adds space on both sides.
    void widen(double factor);
    /// Returns 0 at the low end, 1 at the high end.
    [[nodiscard]] double at(double value) const;
    [[nodiscard]] bool holds(double value) const { return value >= low && value <= high; }
};

/// Axes that contain all values of the plot. Logarithmic, except for nodes, for prices of similar size, over places if
/// values are of similar size, and if a value is 0.
class Axes {
  public:
    explicit Axes(const Plot& plot);

    [[nodiscard]] const Scale& x() const { return x_; }
    [[nodiscard]] const Scale& y() const { return y_; }
    [[nodiscard]] std::vector<Tick> ticks_along() const;
    [[nodiscard]] std::vector<Tick> ticks_up() const;

  private:
    void choose_scales();
    [[nodiscard]] bool has_places() const { return plot_.axis == PlotAxis::order || plot_.axis == PlotAxis::words; }
    [[nodiscard]] std::vector<Tick> ticks_of_places() const;

    const Plot& plot_;
    Scale x_;
    Scale y_;
};

}  // namespace kport::plots
