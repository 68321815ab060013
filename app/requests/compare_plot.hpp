/// @file compare_plot.hpp   A comparison of many machines as curves: latency, or another quantity, over the number that varies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/requests/variants.hpp"
#include "app/session/comparison.hpp"

namespace kport::requests {

/// The column along the axis: the only one of numbers (nodes of the topologies, bytes, ts, td, tm, source); each value of the other
/// columns has curves of its own. Throws RequestError where no number varies, or several do.
[[nodiscard]] std::string_view axis_of_plot(const Variants& variants);

/// A curve for each algorithm, and its lower bound, as SVG. Nothing where no run kept the rules: others are not drawn.
[[nodiscard]] std::optional<std::string> compare_plot(const Words& words, const Variants& variants,
                                                      const Comparisons& all);

}  // namespace kport::requests
