#include "app/session/run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "app/session/choose.hpp"
#include "app/session/reporting.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/order.hpp"
#include "emulator/engine/world.hpp"

namespace kport {

namespace {

/// Memory for the transfers of a run with a fault, which are changed and moved again.
double bytes_of_moves(const Experiment& e, const Algorithm& algorithm) {
    constexpr double bytes_a_transfer = 400;
    if (!e.injection) return 0;
    const ExpectedCost cost = expected_cost(algorithm, e.machine, e.collective, e.options);
    return bytes_a_transfer * static_cast<double>(cost.work.value_or(e.topology().nodes()));
}

/// Memory for recording transfers and phase times.
double bytes_of_telling(const Experiment& e, const Algorithm& algorithm, const Caller& caller) {
    constexpr double bytes_a_transfer = 125;  // as measured with some room
    constexpr double copies_of_times = 4;     // while the lists of the threads grow, and all in one
    constexpr double times_a_round = 4;       // of each partition: what lockstep does in it
    if (caller.recorded_schedule == nullptr && caller.phases == nullptr) return 0;
    const ExpectedCost cost = expected_cost(algorithm, e.machine, e.collective, e.options);
    double need = 0;
    if (caller.recorded_schedule != nullptr)
        need += bytes_a_transfer * static_cast<double>(cost.work.value_or(e.topology().nodes()));
    if (caller.phases == nullptr || e.injection || e.engine != EngineKind::lockstep) return need;
    const double threads = e.thread_count();
    double times = threads * static_cast<double>(phase_times_max);
    if (cost.rounds)
        times = std::min(times, times_a_round * static_cast<double>(*cost.rounds) *
                                    Deal(e.topology().nodes(), e.partition_nodes).partitions());
    return need + copies_of_times * sizeof(PhaseTime) * times;
}

/// Runs it with the fault of the experiment, whose effects go into the outcome.
RunResult run_with_fault(const Experiment& e, const Algorithm& algorithm, const RunOptions& options, Outcome& outcome) {
    const FaultInfo& fault = info(e.injection->fault);
    Injection injection = *e.injection;
    injection.seed = e.seed;
    const auto where = [&] {
        return fmt::format("{} {} on {}", name(algorithm.operation), algorithm.name, e.topology().spec());
    };
    std::optional<FaultyRun> faulty;
    try {
        faulty = run_with_fault(algorithm, e.machine, e.collective, e.options, {e.payload, e.seed}, options, injection);
    } catch (const RequestError& error) {
        const bool spoils_schedule = e.injection->fault == Fault::malformed;
        throw RequestError(fmt::format("injection {}: {}{}", fault.name,
                                       spoils_schedule ? "the schedule is refused: " : "", error.what()));
    }
    if (!faulty)
        throw RequestError(fmt::format("injection {}: {} has no place for it{}{}", fault.name, where(),
                                       fault.needs.empty() ? "" : "; it needs ", fault.needs));
    if (faulty->fair && !faulty->result.stopped)
        throw RequestError(fmt::format("injection {}: {} breaks rules by itself; a fault needs a run that keeps them",
                                       fault.name, where()));
    outcome.before_fault = faulty->fair;
    outcome.report.faults = std::move(faulty->faults);
    if (options.recorded_schedule != nullptr) *options.recorded_schedule = std::move(faulty->moved);
    return std::move(faulty->result);
}

RunResult executed(const Chosen& chosen, const Caller& caller, Outcome& outcome) {
    const Experiment& e = chosen.experiment;
    RunOptions options;
    options.engine = e.engine;
    options.threads = e.thread_count();
    options.partition_nodes = e.partition_nodes;
    options.per_round = e.per_round;
    options.stop = caller.stop;
    options.progress = caller.progress;
    options.computing = caller.computing;
    options.last_round = e.until;
    options.recorded_schedule = caller.recorded_schedule;
    options.ranks = caller.ranks;
    options.phases = e.injection ? nullptr : caller.phases;
    options.max_rounds = e.max_rounds;
    SeededOrder order(e.order.value_or(0));
    if (e.order) options.order = &order;
    if (e.injection) return run_with_fault(e, *chosen.algorithm, options, outcome);
    if (!e.unaware_of.empty())
        return run_unaware(*chosen.algorithm, e.machine, e.collective, e.options, {e.payload, e.seed}, options,
                           e.unaware_of);
    return run_algorithm(*chosen.algorithm, e.machine, e.collective, e.options, {e.payload, e.seed}, options);
}

/// Counts the brackets of a reduction if they are asked for, by the same run of other values.
void count_brackets(const Chosen& chosen, const Caller& caller, const RunResult& result, Report& report) {
    const Experiment& e = chosen.experiment;
    if (e.injection || !e.unaware_of.empty() || caller.ranks != nullptr || e.collective.groups != nullptr ||
        !(caller.counts_brackets || wants_agreement(e)))
        return;
    const auto run_again = [&](const Reduction& brackets) {
        Chosen again = chosen;
        again.experiment.options.reduction = brackets;
        again.experiment.payload = true;
        again.experiment.per_round = false;
        Outcome unused;
        Caller quiet;
        quiet.stop = caller.stop;
        return executed(again, quiet, unused);
    };
    report.brackets = counted_brackets(e.collective, e.options.reduction, wants_agreement(e), e.topology().nodes(),
                                       result, run_again);
}

}  // namespace

Outcome run(const Chosen& chosen, const Caller& caller) {
    const Experiment& e = chosen.experiment;
    if (caller.ranks != nullptr && wants_agreement(e))
        throw RequestError("rules 'agree=law': the results of several processes are not compared; run one process");
    admit(e, chosen.algorithm, bytes_of_moves(e, *chosen.algorithm) + bytes_of_telling(e, *chosen.algorithm, caller),
          caller.recorded_schedule != nullptr);
    if (caller.begins) caller.begins(chosen);
    Outcome outcome;
    RunResult result = executed(chosen, caller, outcome);
    count_brackets(chosen, caller, result, outcome.report);
    put_beside_bounds(chosen, std::move(result), outcome);
    const bool is_plain =
        !e.injection && e.unaware_of.empty() && caller.ranks == nullptr && e.collective.groups == nullptr;
    if (is_plain && outcome.report.verdict.lawful() && !outcome.report.stopped)
        outcome.report.phases = reports_of_phases(chosen, caller, outcome.report);
    if (caller.ended) caller.ended(outcome);
    return outcome;
}

Chosen planned(const Experiment& experiment) {
    require_valid(experiment);
    require_algorithms(experiment.collective.operation);
    try {
        admit(experiment, nullptr);
    } catch (const DoesNotFit&) {
        require_runnable(experiment);  // else no less would do
        throw;
    }
    return choose(experiment);
}

Outcome run(const Experiment& experiment, const Caller& caller) { return run(planned(experiment), caller); }

}  // namespace kport
