#include "algorithms/run_with_fault.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/fault/tampering.hpp"

namespace kport {

namespace {

ReplayOptions replay_options(const Payload& payload, const RunOptions& run_options) {
    ReplayOptions replaying;
    replaying.payload = payload.copied;
    replaying.seed = payload.seed;
    replaying.per_round = run_options.per_round;
    replaying.last_round = run_options.last_round;
    replaying.max_rounds = run_options.max_rounds;
    replaying.stop = run_options.stop;
    replaying.progress = run_options.progress;
    return replaying;
}

class FaultyRunner {
  public:
    FaultyRunner(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                 const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options,
                 const Injection& injection)
        : algorithm_(algorithm), machine_(machine), options_(options), payload_(payload), run_options_(run_options),
          injection_(injection), collective_(judged_collective(algorithm, collective, options)),
          dice_(mixed(injection.seed)) {
        run_options_.threads = 1;
        run_options_.recorded_schedule = &schedule_;
        const Round last_round = std::exchange(run_options_.last_round, 0);
        fair_ = run_algorithm(algorithm, machine, collective, options, {false, payload.seed}, run_options_);
        run_options_.last_round = last_round;
        // A reversed algorithm has no node program of its own operation, only a schedule.
        if (algorithm.way == Way::program)
            job_ = make_job(algorithm, machine, collective, options);
        else
            job_ = job_following(schedule_, machine, collective_);
        prepare_job();
    }

    std::optional<FaultyRun> run() {
        if (!fair_.verdict.lawful()) return FaultyRun{std::move(fair_), {}, {}, true};
        std::optional<FaultyRun> faulty =
            info(injection_.fault).place == FaultPlace::engine ? in_engine() : in_transfers();
        if (faulty) count_before(faulty->faults);
        return faulty;
    }

  private:
    void prepare_job() {
        job_.reduction = options_.reduction;
        job_.payload = payload_.copied;
        job_.seed = payload_.seed;
    }

    std::optional<FaultyRun> in_engine() {
        if (info(injection_.fault).folds() && !algorithm_.operation.folds()) return std::nullopt;
        const bool in_any_order = options_.reduction.commutative() || algorithm_.unfolded;
        if (injection_.fault == Fault::fold_out_of_order && in_any_order) return std::nullopt;
        Sabotage counting(injection_.fault);
        if (!injection_.probability) (void)run_sabotaged(counting, nullptr);
        if (!injection_.probability && counting.opportunities() == 0) return std::nullopt;
        Sabotage sabotage = injection_.probability ? Sabotage(injection_.fault, *injection_.probability, dice_.word())
                                                   : Sabotage(injection_.fault, dice_.below(counting.opportunities()));
        FaultyRun faulty;
        faulty.result = run_sabotaged(sabotage, &faulty.moved);
        faulty.faults = sabotage.injected();
        return faulty;
    }

    /// Counts violations of counted rules in the fair run, and those of earlier faults.
    void count_before(std::vector<Injected>& faults) const {
        for (const Counted& counted : fair_.verdict.counted) {
            std::uint64_t before = counted.count;
            for (Injected& fault : faults)
                if (fault.rule == counted.rule) fault.counted_before = before++;
        }
    }

    RunResult run_sabotaged(Sabotage& sabotage, Schedule* record) {
        RunOptions options = run_options_;
        options.sabotage = &sabotage;
        options.recorded_schedule = record;
        return kport::run(job_, options);
    }

    std::optional<FaultyRun> in_transfers() {
        std::optional<Tampered> wrong;
        if (injection_.probability)
            wrong = tampered_often(schedule_, machine_, collective_, injection_.fault, *injection_.probability, dice_);
        else
            wrong = tampered(schedule_, machine_, collective_, injection_.fault, dice_);
        if (!wrong || (info(injection_.fault).of_bytes() && !payload_.copied)) return std::nullopt;
        FaultyRun faulty;
        faulty.result = moved_again(*wrong);
        faulty.faults = std::move(wrong->faults);
        faulty.moved = std::move(wrong->schedule);
        return faulty;
    }

    RunResult moved_again(const Tampered& wrong) {
        const FaultInfo& fault = info(injection_.fault);
        if (algorithm_.operation.folds() && !fault.of_bytes()) return judged(wrong.schedule);
        Sabotage::Messages struck;
        for (const std::size_t i : wrong.struck) {
            const Transfer transfer = wrong.schedule.transfer(i);
            struck.emplace(wrong.schedule.round(i), transfer.from, transfer.to);
        }
        if (algorithm_.operation.folds()) return followed(wrong, std::move(struck));
        ReplayOptions options = replay_options(payload_, run_options_);
        const auto strikes = [&](Round round, const Transfer& transfer) {
            return struck.contains({round, transfer.from, transfer.to});
        };
        (fault.fault == Fault::lose_payload ? options.loses : options.corrupts) = strikes;
        return replay(wrong.schedule, machine_, collective_, options);
    }

    /// Replays a reduction whose nodes follow the schedule, with faults of bytes.
    RunResult followed(const Tampered& wrong, Sabotage::Messages struck) {
        job_ = job_following(wrong.schedule, machine_, collective_);
        prepare_job();
        Sabotage sabotage(injection_.fault, std::move(struck));
        RunOptions options = run_options_;
        options.engine = EngineKind::lockstep;
        options.recorded_schedule = nullptr;
        options.sabotage = &sabotage;
        return run_lockstep(job_, options);
    }

    /// Audits a reduction without combining: holders are the nodes that could give the result.
    RunResult judged(const Schedule& schedule) {
        const auto start = std::chrono::steady_clock::now();
        RunResult result;
        result.verdict = audit(schedule, machine_, collective_, run_options_.per_round);
        result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return result;
    }

    const Algorithm& algorithm_;
    const Machine& machine_;
    const AlgorithmOptions& options_;
    Payload payload_;
    RunOptions run_options_;
    Injection injection_;
    Collective collective_;
    Dice dice_;
    Schedule schedule_;
    Job job_;
    RunResult fair_;
};

}  // namespace

std::optional<FaultyRun> run_with_fault(const Algorithm& algorithm, const Machine& machine,
                                        const Collective& collective, const AlgorithmOptions& options,
                                        const Payload& payload, const RunOptions& run_options,
                                        const Injection& injection) {
    require_topology(machine);
    return FaultyRunner(algorithm, machine, collective, options, payload, run_options, injection).run();
}

RunResult run_unaware(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                      const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options,
                      const BrokenParts& broken) {
    require_topology(machine);
    RunOptions losing_options = run_options;
    losing_options.threads = 1;
    losing_options.engine = EngineKind::lockstep;
    Schedule plan;
    Job job;
    if (algorithm.way == Way::program) {
        job = make_job(algorithm, machine, collective, options);
    } else {  // only a schedule, which its nodes follow
        RunOptions planning;
        planning.threads = 1;
        planning.stop = run_options.stop;
        planning.recorded_schedule = &plan;
        RunResult whole = run_algorithm(algorithm, machine, collective, options, {false, payload.seed}, planning);
        if (whole.stopped) return whole;
        job = job_following(plan, machine, judged_collective(algorithm, collective, options));
    }
    job.reduction = options.reduction;
    job.payload = payload.copied;
    job.seed = payload.seed;
    Sabotage losing(broken);
    losing_options.sabotage = &losing;
    return run_lockstep(job, losing_options);
}

}  // namespace kport
