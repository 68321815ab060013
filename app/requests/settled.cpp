#include "app/requests/settled.hpp"

#include <algorithm>
#include <utility>

#include "app/search/settled.hpp"
#include "app/session/explain.hpp"

namespace kport::requests {

Bounds settled(const Experiment& e, Bounds bounds) {
    if (e.options.preorder) return bounds;              // a search numbers the nodes as the machine does
    if (e.collective.groups != nullptr) return bounds;  // a search knows one operation of all nodes
    return search::settled(e.machine, folding(e.collective, e.options.reduction), std::move(bounds));
}

void settle_bounds(const Experiment& e, Report& report) {
    if (report.verdict.metrics.rounds == 0 || !report.verdict.lawful()) return;
    if (e.topology().nodes() > search::settled_nodes_max) return;
    Bounds bounds = known_bounds(e);
    for (const QuantityRow& row : quantity_rows) {
        Bound& bound = bounds[row.quantity];
        const bool is_met = bound.largest() && row.of(report.verdict.metrics) <= *bound.largest();
        if (is_met && bound.reachable == Reachable::unknown)
            bound = {bound.arguments, Reachable::yes, "this run meets it", report.algorithm};
    }
    report.bounds = bound_lines(settled(e, std::move(bounds)));
}

}  // namespace kport::requests
