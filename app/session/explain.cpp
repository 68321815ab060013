#include "app/session/choose.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "emulator/base/error.hpp"

namespace kport {

namespace {

BoundLine bound_line(const Bound& bound) {
    BoundLine line{bound.largest(), bound.binding(), "", ""};
    if (!line.value) return line;
    if (bound.reachable == Reachable::yes) {  // a comparison shows which algorithm meets it
        const auto is_that = [&](const Algorithm& row) { return row.name == bound.met_by; };
        if (!bound.met_by.empty() && std::ranges::none_of(catalogue(), is_that)) line.caveat_why = bound.reachable_why;
        return line;
    }
    line.caveat = bound.reachable == Reachable::no ? "the bound is out of reach" : "not known to be reachable";
    line.caveat_why = bound.reachable_why;
    line.least = bound.least;
    line.best_known = bound.best_known;
    return line;
}

/// The derivation of an algorithm that is reversed in time speaks of the operation that it reverses.
std::vector<std::string> derivation_of(const Algorithm& algorithm, const ExpectedCost& cost, NodeId nodes) {
    if (nodes == 1) return {"one node: nothing moves"};
    std::vector<std::string> lines = cost.derivation;
    if (algorithm.way == Way::reversed)
        lines.insert(lines.begin(), fmt::format("every message of this {} is turned round, the last round comes first; "
                                                "reversed, it costs the same:",
                                                name(algorithm.forward)));
    return lines;
}

/// Where no algorithm runs as asked and none was named, the bounds are still worth showing.
void choose_if_any(Explanation& explanation, const Experiment& e) {
    try {
        explanation.chosen = choose(e);
    } catch (const RequestError& error) {
        if (!e.algorithm.empty()) throw;
        explanation.chosen.experiment = e;
        explanation.why_none = error.what();
    }
}

}  // namespace

BoundLines bound_lines(const Bounds& bounds) {
    BoundLines lines;
    std::ranges::transform(bounds, lines.begin(), bound_line);
    return lines;
}

Bounds bounds(const Experiment& e) {
    require_valid(e);
    require_known_options(e);
    return known_bounds(e);
}

Bounds known_bounds(const Experiment& e) {
    Bounds all = reached_bounds(e.machine, folding(e.collective, e.options.reduction));
    if (!e.options.preorder) return all;
    for (Bound& bound : all)
        bound = {bound.arguments, Reachable::unknown, "what is known is of scans in the order of the nodes' numbers"};
    return all;
}

Explanation explain(const Experiment& e) {
    Explanation explanation;
    explanation.bounds = bounds(e);
    choose_if_any(explanation, e);
    const Algorithm* algorithm = explanation.chosen.algorithm;
    if (algorithm == nullptr) return explanation;
    explanation.cost = expected_cost(*algorithm, e.machine, e.collective, explanation.chosen.experiment.options);
    explanation.derivation = derivation_of(*algorithm, explanation.cost, e.topology().nodes());
    return explanation;
}

}  // namespace kport
