#include "app/cli/program.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "app/cli/bench_cells.hpp"
#include "app/cli/bench_output.hpp"
#include "app/cli/code_process.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/own_algorithms.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/reported.hpp"
#include "app/cli/supervised.hpp"

namespace kport::cli {

namespace {

/// In the process with the code. A fault is injected by the judge, into what moved here.
[[noreturn]] void run_and_report(Request& request, Experiment experiment, Wanted wanted) {
    wanted.transfers = true;
    if (experiment.injection) experiment.until = 0;
    experiment.injection.reset();
    const Performed run = performed_here(request, experiment, wanted);
    report_run(run.outcome.report, run.moved, run.phases);
    end_at_once(status_of(run.outcome.ending));
}

/// Compiles the file, forks, and waits for the report. In the process with the code it does not return.
Reported run_apart(Request& request, const Experiment& experiment, const Wanted& wanted) {
    const OwnFiles files(request.words);
    const auto supervision = supervise(files.names());
    if (supervision == nullptr) {
        files.load(experiment.algorithm);
        run_and_report(request, experiment, wanted);
    }
    return reported(*supervision, experiment.algorithm, experiment.topology().nodes());
}

}  // namespace

Program::Program() {
    width = width_of_stdout();
    paint = paint_for_stdout();
    stop = &interrupted();
    search_seconds_max = std::numeric_limits<double>::infinity();
}

void Program::require_place(std::string_view option, const std::string& file) const {
    cli::require_place(option, file);
}

void Program::write_file(std::string_view option, const std::string& file,
                         const std::function<void(std::ostream&)>& write) {
    cli::write_file(option, file, write);
}

Performed Program::performed_apart(Request& request, const Experiment& experiment, const Wanted& wanted) {
    Reported all = run_apart(request, experiment, wanted);
    follow_in_catalogue(experiment.collective.operation, experiment.algorithm, all.facts);
    Performed run;
    run.chosen = kport::planned(experiment);
    Caller of_run = caller();
    Schedule faulty;
    const bool injects = experiment.injection && !all.claims.result.stopped;
    if (injects && wanted.transfers) of_run.recorded_schedule = &faulty;
    run.outcome = judged_outcome(run.chosen, all, of_run);
    if (run.outcome.report.verdict.lawful()) run.outcome.report.prediction = std::move(all.prediction);
    run.moved = injects ? std::move(faulty) : std::move(all.schedule);
    run.phases = std::move(all.phases);
    return run;
}

std::unique_ptr<OutOfProcess> Program::own_rows(Request& request, std::span<const Experiment> experiments) {
    return cli::own_rows(request.words, experiments);
}

void Program::predict(const std::string& file, Wanted& wanted) {
    const auto calibration = calibration_file(file);
    wanted.before = [calibration](const Chosen& chosen) {
        require_calibration(chosen, calibration);
        keep_memory();
    };
    wanted.prediction = [calibration](const Report& report, const Chosen& chosen) {
        // Where lockstep had to run it the prices are others.
        return report.engine == chosen.experiment.engine ? predicted(report, chosen, calibration) : std::nullopt;
    };
}

Answer Program::checked_files(Request& request) { return {.status = check_files(request)}; }

Company Program::company() const { return cli::company(); }

Caller Program::caller() { return attended_.caller(); }

ProgressFunction Program::progress(std::uint64_t nodes, std::uint64_t reached) {
    progress_.emplace(nodes, reached);
    return [this](const Metrics& metrics, std::uint64_t now) { progress_->show(metrics, now); };
}

std::unique_ptr<Signs> Program::signs() { return std::make_unique<SignsOfLife>(); }

std::unique_ptr<Signs> Program::meanwhile(const std::string& text) { return std::make_unique<Meanwhile>(text); }

std::function<void(const Computing&, const Topology&)> Program::computing() {
    if (!supervised()) return {};
    return [](const Computing& computing, const Topology& topology) {
        const auto why = given_up(computing, fmt::format("{} on {}", text(computing, topology), topology.spec()));
        if (!why) return;
        complain(*why);
        end_at_once(status_stopped);
    };
}

void Program::at_work(const std::string& text) { nothing_to_tell_while(text); }

void Program::can_report() { something_to_tell(); }

void Program::warn(const std::string& text) { complain(text); }

std::string Program::document(const std::function<std::string()>& make) {
    const MemoryOrEnd guard;
    return make();
}

void Program::fails_alone(int status, std::string_view why) { give_up_ranks(status, why); }

}  // namespace kport::cli
