#include "app/requests/performed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/search/least_cost.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::requests {

Performed performed_here(Request& request, const Experiment& experiment, const Wanted& wanted) {
    Performed run;
    run.chosen = planned(experiment);
    if (wanted.before) wanted.before(run.chosen);
    Caller caller = request.client.caller();
    if (wanted.transfers) caller.recorded_schedule = &run.moved;
    if (wanted.phases) caller.phases = &run.phases;
    caller.counts_brackets = true;
    run.outcome = kport::run(run.chosen, caller);
    if (wanted.prediction && run.outcome.report.verdict.lawful())
        run.outcome.report.prediction = wanted.prediction(run.outcome.report, run.chosen);
    return run;
}

Performed performed(Request& request, const Experiment& experiment, const Wanted& wanted) {
    if (is_algorithm_file(experiment.algorithm) && !experiment.unaware_of.empty())
        throw RequestError(
            fmt::format("--unaware: the programs of {} run in a process of their own, which loses nothing; want an "
                        "algorithm of kport's, or leave --unaware out",
                        quoted(experiment.algorithm)));
    return is_algorithm_file(experiment.algorithm) ? request.client.performed_apart(request, experiment, wanted)
                                                   : performed_here(request, experiment, wanted);
}

Bounds settled(const Experiment& e, Bounds bounds) {
    if (e.options.preorder) return bounds;              // a search numbers the nodes as the machine does
    if (e.collective.groups != nullptr) return bounds;  // a search knows one operation of all nodes
    return search::settled(e.machine, folding(e.collective, e.options.reduction), std::move(bounds));
}

void settle_bounds(const Experiment& ran, Report& report) {
    if (report.verdict.metrics.rounds == 0 || !report.verdict.lawful()) return;
    if (ran.topology().nodes() > search::settled_nodes_max) return;
    Experiment e = ran;
    e.collective.in_runs = e.collective.unfolded = false;  // values that this algorithm keeps apart, others may fold
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
