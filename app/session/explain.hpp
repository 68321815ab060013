/// @file explain.hpp   What is known of an experiment before it runs: bounds, the choice, the algorithm's cost.
#pragma once

#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/session/choose.hpp"
#include "emulator/report/report.hpp"

namespace KPORT_PUBLIC kport {

/// Lower bounds in the form of a report.
[[nodiscard]] BoundLines bound_lines(const Bounds& bounds);

/// The lower bounds of an experiment. Runs nothing, and takes no memory of the machine's size. Throws RequestError, also for
/// options that no algorithm takes here (require_known_options()).
[[nodiscard]] Bounds bounds(const Experiment& experiment);
/// The lower bounds of a valid experiment. For a scan in preorder only the values: what is known to be reached concerns
/// scans in the order of the numbers.
[[nodiscard]] Bounds known_bounds(const Experiment& experiment);

/// Bounds and cost, derived.
struct Explanation {
    Bounds bounds;
    Chosen chosen;                        ///< without algorithm where none runs as asked and none was named
    std::string why_none;                 ///< then: why
    ExpectedCost cost;                    ///< of the chosen one
    std::vector<std::string> derivation;  ///< of the cost, one step a line
};

/// Runs nothing but what the choice rehearses. Throws RequestError.
[[nodiscard]] Explanation explain(const Experiment& experiment);

}  // namespace kport
