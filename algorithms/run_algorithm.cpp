#include "algorithms/run_algorithm.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/adapted.hpp"
#include "emulator/audit/auditor.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/choose_execution.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/engine/script.hpp"

namespace kport {

namespace {

Job job_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
           const AlgorithmOptions& options, const Payload& payload) {
    Job job = make_job(algorithm, machine, collective, options);
    job.payload = payload.copied;
    job.seed = payload.seed;
    return job;
}

/// Returns the schedule of the algorithm's node program on its own operation, run in lockstep without bytes.
Schedule recorded(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                  const AlgorithmOptions& options, const RunOptions& run_options, RunResult& forward) {
    Schedule schedule;
    RunOptions recording = run_options;
    recording.recorded_schedule = &schedule;
    recording.per_round = false;
    recording.last_round = 0;
    recording.phases = nullptr;  // they belong to the run that follows
    forward = run_lockstep(job_of(algorithm, machine, collective, options, {false, 1}), recording);
    return schedule;
}

/// An algorithm that reverses another operation in time, with the schedule of its own operation.
struct TurnedRound {
    Schedule schedule;  ///< empty if `forward` was stopped or broke a rule
    RunResult forward;  ///< the run that was reversed
};

TurnedRound turned_round(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                         const AlgorithmOptions& options, const RunOptions& run_options) {
    const Topology& topology = *machine.topology;
    const bool then_broadcast = algorithm.way == Way::reduce_broadcast;
    TurnedRound turned;
    const Schedule there = recorded(algorithm, machine, collective, options, run_options, turned.forward);
    if (!turned.forward.verdict.lawful()) return turned;
    turned.schedule = reversed(there, topology);
    // Programs that follow the schedule combine what comes; exact contributions are needed only if the schedule is
    // read.
    const bool is_read = run_options.recorded_schedule != nullptr;
    if (collective.folds() && (is_read || collective.segments(topology.nodes()) > 1))
        turned.schedule = of_segments(turned.schedule, collective);
    if (collective.folds() && is_read) turned.schedule = with_contributions(turned.schedule, collective, topology);
    if (then_broadcast) turned.schedule = followed_by_result(std::move(turned.schedule), there, topology);
    return turned;
}

/// The nodes follow the schedule, a reversed lawful run; it must outlive the job. In a scatter a node receives a packet
/// once, so in the gather it sends it once.
Job job_following(const Schedule& schedule, const Machine& machine, const Collective& collective,
                  const AlgorithmOptions& options, const Payload& payload) {
    const Sent sent = collective.operation == Operation::gather ? Sent::once : Sent::often;
    Job job = job_following(schedule, machine, collective, Naming::segments, sent);
    job.reduction = options.reduction;
    job.payload = payload.copied;
    job.seed = payload.seed;
    return job;
}

/// Returns the result of an operation that never began: the run to be reversed was stopped.
RunResult not_begun(const Machine& machine, const Collective& collective, const RunResult& forward) {
    RunResult result;
    result.threads = forward.threads;
    result.verdict = Auditor(machine, collective, 1, false).finish_stopped();
    result.stopped = true;
    result.out_of_rounds = forward.out_of_rounds;
    result.not_begun = true;
    result.wall_seconds = forward.wall_seconds;
    return result;
}

RunResult run_turned_round(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                           const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    const TurnedRound turned = turned_round(algorithm, machine, collective, options, run_options);
    const RunResult& forward = turned.forward;
    if (forward.stopped) return not_begun(machine, collective, forward);
    if (!forward.verdict.lawful()) return forward;
    if (run_options.recorded_schedule != nullptr) *run_options.recorded_schedule = turned.schedule;
    RunOptions following = run_options;
    following.recorded_schedule = nullptr;
    RunResult result = run_lockstep(job_following(turned.schedule, machine, collective, options, payload), following);
    result.wall_seconds += forward.wall_seconds;
    result.threads = std::max(result.threads, forward.threads);
    return result;
}

RunResult run_in_lockstep(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                          const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    if (algorithm.way != Way::program)
        return run_turned_round(algorithm, machine, collective, options, payload, run_options);
    return run_lockstep(job_of(algorithm, machine, collective, options, payload), run_options);
}

}  // namespace

FreeAlgorithm::FreeAlgorithm(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                             const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    if (algorithm.way == Way::program) {
        job_ = job_of(algorithm, machine, collective, options, payload);
    } else {
        TurnedRound turned = turned_round(algorithm, machine, collective, options, run_options);
        if (!turned.forward.verdict.lawful()) return;
        schedule_ = std::move(turned.schedule);
        job_ = job_following(schedule_, machine, collective, options, payload);
    }
    engine_.emplace(job_, run_options);
}

RunResult run_algorithm(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                        const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    if (collective.groups != nullptr)
        return run_in_groups(algorithm, machine, collective, options, payload, run_options);
    if (options.preorder && run_options.recorded_schedule != nullptr)
        throw RequestError(
            "--order preorder gives the nodes other numbers, and no schedule of them is recorded; leave it out");
    return run_on_engine(
        run_options, [&] { return FreeAlgorithm(algorithm, machine, collective, options, payload, run_options); },
        [&] { return run_in_lockstep(algorithm, machine, collective, options, payload, run_options); });
}

}  // namespace kport
