#include "algorithms/run_algorithm.hpp"

#include <utility>

#include "algorithms/reversal.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"

namespace kport {

namespace {

/// The schedule of the algorithm's node program on its own operation; empty if the run was stopped.
Schedule recorded(const Algorithm& algorithm, const Machine& machine, const Request& request,
                  const AlgorithmOptions& options, const RunOptions& run_options, RunResult& forward) {
    Schedule schedule;
    Job job = make_job(algorithm, machine, request, options);
    job.payload = false;
    RunOptions recording = run_options;
    recording.record = &schedule;
    recording.per_round = false;
    recording.engine = EngineKind::lockstep;
    forward = run_lockstep(job, recording);
    return schedule;
}

/// Moves the schedule with its bytes: by lockstep as a replay, free-running by node programs that follow it.
RunResult moved(const Schedule& schedule, const Machine& machine, const Request& request,
                const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    const Promise promise{request.root, request.packet_bytes, request.operation};
    if (run_options.engine == EngineKind::free) {
        Job job = job_following(schedule, machine, promise);
        job.reduction = options.reduction;
        job.payload = payload.copied;
        job.seed = payload.seed;
        return run(job, run_options);
    }
    ReplayOptions replaying;
    replaying.payload = payload.copied;
    replaying.seed = payload.seed;
    replaying.per_round = run_options.per_round;
    replaying.reduction = options.reduction;
    replaying.stop = run_options.stop;
    replaying.progress = run_options.progress;
    if (run_options.record != nullptr) *run_options.record = schedule;
    return replay(schedule, machine, promise, replaying);
}

RunResult run_reversed(const Algorithm& algorithm, const Machine& machine, const Request& request,
                       const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    RunResult forward;
    Schedule schedule = recorded(algorithm, machine, request, options, run_options, forward);
    if (forward.stopped || !forward.verdict.lawful()) return forward;
    schedule = reversed(schedule, *machine.topology);
    if (is_reduction(request.operation)) schedule = with_contributions(schedule, *machine.topology);
    RunResult result = moved(schedule, machine, request, options, payload, run_options);
    result.wall_seconds += forward.wall_seconds;
    return result;
}

RunResult run_reduce_broadcast(const Machine& machine, const Request& request, const AlgorithmOptions& options,
                               const Payload& payload, const RunOptions& run_options) {
    Request broadcast = request;
    broadcast.operation = Operation::broadcast;
    const Algorithm& algorithm = best_algorithm(machine, broadcast, {});
    RunResult forward;
    const Schedule there = recorded(algorithm, machine, broadcast, {}, run_options, forward);
    if (forward.stopped || !forward.verdict.lawful()) return forward;
    const Schedule reduction = with_contributions(reversed(there, *machine.topology), *machine.topology);
    RunResult result =
        moved(followed_by_result(reduction, there, *machine.topology), machine, request, options, payload, run_options);
    result.wall_seconds += forward.wall_seconds;
    return result;
}

}  // namespace

RunResult run_algorithm(const Algorithm& algorithm, const Machine& machine, const Request& request,
                        const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    switch (algorithm.way) {
        case Way::reversed: return run_reversed(algorithm, machine, request, options, payload, run_options);
        case Way::reduce_broadcast: return run_reduce_broadcast(machine, request, options, payload, run_options);
        case Way::program: break;
    }
    Job job = make_job(algorithm, machine, request, options);
    job.payload = payload.copied;
    job.seed = payload.seed;
    return run(job, run_options);
}

}  // namespace kport
