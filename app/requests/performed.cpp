#include "app/requests/performed.hpp"

#include <fmt/format.h>

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

}  // namespace kport::requests
