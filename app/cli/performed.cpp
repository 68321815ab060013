#include "app/cli/performed.hpp"

#include <utility>

#include "app/cli/attended.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/own_algorithms.hpp"
#include "app/cli/reported.hpp"
#include "app/cli/supervised.hpp"

namespace kport::cli {

namespace {

Performed run_here(const Experiment& experiment, const Wanted& wanted) {
    Performed run;
    run.chosen = planned(experiment);
    if (wanted.before) wanted.before(run.chosen);
    Attended attended;
    Caller caller = attended.caller();
    if (wanted.transfers) caller.recorded_schedule = &run.moved;
    if (wanted.phases) caller.phases = &run.phases;
    run.outcome = kport::run(run.chosen, caller);
    if (wanted.prediction && run.outcome.report.verdict.lawful())
        run.outcome.report.prediction = wanted.prediction(run.outcome.report, run.chosen);
    return run;
}

/// In the process with the code. A fault is injected by the judge, into what moved here.
[[noreturn]] void run_and_report(Experiment experiment, Wanted wanted) {
    wanted.transfers = true;
    if (experiment.injection) experiment.until = 0;
    experiment.injection.reset();
    const Performed run = run_here(experiment, wanted);
    report_run(run.outcome.report, run.moved, run.phases);
    end_at_once(status_of(run.outcome.ending));
}

/// Compiles the file, forks, and waits for the report. In the process with the code it does not return.
Reported run_apart(const Words& words, const Experiment& experiment, const Wanted& wanted) {
    const OwnFiles files(words);
    const auto supervision = supervise(files.names());
    if (supervision == nullptr) {
        files.load(experiment.algorithm);
        run_and_report(experiment, wanted);
    }
    return reported(*supervision, experiment.algorithm, experiment.topology().nodes());
}

Performed judged_run(Reported all, const Experiment& experiment, const Wanted& wanted) {
    follow_in_catalogue(experiment.collective.operation, experiment.algorithm, all.facts);
    Performed run;
    run.chosen = planned(experiment);
    Attended attended;
    Caller caller = attended.caller();
    Schedule faulty;
    const bool injects = experiment.injection && !all.claims.stopped;
    if (injects && wanted.transfers) caller.recorded_schedule = &faulty;
    run.outcome = judged_outcome(run.chosen, all, caller);
    if (run.outcome.report.verdict.lawful()) run.outcome.report.prediction = std::move(all.prediction);
    run.moved = injects ? std::move(faulty) : std::move(all.schedule);
    run.phases = std::move(all.phases);
    return run;
}

}  // namespace

Performed performed(const Words& words, const Experiment& experiment, const Wanted& wanted) {
    if (!is_algorithm_file(experiment.algorithm)) return run_here(experiment, wanted);
    return judged_run(run_apart(words, experiment, wanted), experiment, wanted);
}

}  // namespace kport::cli
