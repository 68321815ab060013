#include "algorithms/run_algorithm.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/choice.hpp"
#include "algorithms/reversal.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/engine/script.hpp"

namespace kport {

namespace {

Job job_of(const Algorithm& algorithm, const Machine& machine, const Collective& request,
           const AlgorithmOptions& options, const Payload& payload) {
    Job job = make_job(algorithm, machine, request, options);
    job.payload = payload.copied;
    job.seed = payload.seed;
    return job;
}

/// The schedule of the algorithm's node program on its own operation, by lockstep and without bytes.
Schedule recorded(const Algorithm& algorithm, const Machine& machine, const Collective& request,
                  const AlgorithmOptions& options, const RunOptions& run_options, RunResult& forward) {
    Schedule schedule;
    RunOptions recording = run_options;
    recording.record = &schedule;
    recording.per_round = false;
    recording.last_round = 0;
    forward = run_lockstep(job_of(algorithm, machine, request, options, {false, 1}), recording);
    return schedule;
}

/// The schedule of an algorithm that reverses another operation in time; empty if `forward` was stopped or broke a rule.
Schedule turned_round(const Algorithm& algorithm, const Machine& machine, const Collective& request,
                      const AlgorithmOptions& options, const RunOptions& run_options, RunResult& forward) {
    const Topology& topology = *machine.topology;
    const bool then_broadcast = algorithm.way == Way::reduce_broadcast;
    Collective of_program = request;
    if (then_broadcast) of_program.operation = Operation::broadcast;
    const Schedule there = then_broadcast ? recorded(best_algorithm(machine, of_program, {}), machine, of_program, {},
                                                     run_options, forward)
                                          : recorded(algorithm, machine, request, options, run_options, forward);
    if (!forward.verdict.lawful()) return {};
    Schedule back = reversed(there, topology);
    if (request.folds()) back = with_contributions(back, topology);
    return then_broadcast ? followed_by_result(back, there, topology) : back;
}

/// Of an operation that has not begun: the run that it reverses was stopped.
RunResult not_begun(const Machine& machine, const Collective& request, const RunResult& forward) {
    RunResult result;
    result.threads = forward.threads;
    result.verdict = Auditor(machine, request, 1, false).finish_stopped();
    result.stopped = true;
    result.out_of_rounds = forward.out_of_rounds;
    result.not_begun = true;
    result.wall_seconds = forward.wall_seconds;
    return result;
}

RunResult run_turned_round(const Algorithm& algorithm, const Machine& machine, const Collective& request,
                           const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    RunResult forward;
    const Schedule schedule = turned_round(algorithm, machine, request, options, run_options, forward);
    if (forward.stopped) return not_begun(machine, request, forward);
    if (!forward.verdict.lawful()) return forward;
    if (run_options.record != nullptr) *run_options.record = schedule;
    RunResult result = replay(schedule, machine, request, replay_options(options, payload, run_options));
    result.wall_seconds += forward.wall_seconds;
    result.threads = std::max(result.threads, forward.threads);
    return result;
}

RunResult run_in_lockstep(const Algorithm& algorithm, const Machine& machine, const Collective& request,
                          const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    if (algorithm.way != Way::program)
        return run_turned_round(algorithm, machine, request, options, payload, run_options);
    return run_lockstep(job_of(algorithm, machine, request, options, payload), run_options);
}

}  // namespace

ReplayOptions replay_options(const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    ReplayOptions replaying;
    replaying.payload = payload.copied;
    replaying.seed = payload.seed;
    replaying.per_round = run_options.per_round;
    replaying.reduction = options.reduction;
    replaying.last_round = run_options.last_round;
    replaying.max_rounds = run_options.max_rounds;
    replaying.stop = run_options.stop;
    replaying.progress = run_options.progress;
    return replaying;
}

FreeAlgorithm::FreeAlgorithm(const Algorithm& algorithm, const Machine& machine, const Collective& request,
                             const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    if (algorithm.way == Way::program) {
        job_ = job_of(algorithm, machine, request, options, payload);
    } else {
        RunResult forward;
        schedule_ = turned_round(algorithm, machine, request, options, run_options, forward);
        if (!forward.verdict.lawful()) return;
        job_ = job_following(schedule_, machine, request);
        job_.reduction = options.reduction;
        job_.payload = payload.copied;
        job_.seed = payload.seed;
    }
    engine_.emplace(job_, run_options);
}

RunResult run_algorithm(const Algorithm& algorithm, const Machine& machine, const Collective& request,
                        const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    if (run_options.engine != EngineKind::free || run_options.last_round != 0)
        return run_in_lockstep(algorithm, machine, request, options, payload, run_options);
    NeedsRounds why = NeedsRounds::no;
    {
        FreeAlgorithm free(algorithm, machine, request, options, payload, run_options);
        if (auto result = free.run()) return *std::move(result);
        why = free.needs_rounds();
    }
    RunResult result = run_in_lockstep(algorithm, machine, request, options, payload, run_options);
    result.needs_rounds = why;
    return result;
}

}  // namespace kport
