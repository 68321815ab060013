#include "app/session/beside_bounds.hpp"

#include <utility>

#include <fmt/format.h>

#include "algorithms/reach.hpp"
#include "app/session/explain.hpp"
#include "emulator/base/peak_memory.hpp"

namespace kport {

namespace {

/// What was asked for, as the report shows it.
void put_request(const Chosen& chosen, Report& report) {
    const Experiment& e = chosen.experiment;
    const Algorithm& algorithm = *chosen.algorithm;
    report.operation = algorithm.operation;
    report.algorithm = algorithm.name;
    report.rule = algorithm.rule;
    report.remark = algorithm.remark;
    report.chosen = chosen.reason();
    report.machine = e.machine;
    report.root = algorithm.through_root ? e.collective.root : e.root();
    report.packet_bytes = e.collective.packet_bytes;
    report.packets_each = e.collective.packets_each;
    report.permutation = e.collective.permutation;
    report.payload = e.payload;
    if (algorithm.operation.folds()) report.reduction = e.options.reduction;
    report.in_runs = e.collective.in_runs;
    report.per_round = e.per_round;
    report.bounds = bound_lines(known_bounds(e));
    report.again = again(e, algorithm.name);
}

void put_result(RunResult result, Report& report) {
    report.results = std::move(result.results);
    report.verdict = std::move(result.verdict);
    report.stopped = result.stopped;
    report.out_of_rounds = result.out_of_rounds;
    report.not_begun = result.not_begun;
    EngineFacts& engine = report.engine;
    engine.name = name(result.engine);
    engine.threads = result.threads;
    engine.wall_seconds = result.wall_seconds;
    engine.bytes_moved = report.payload ? report.verdict.metrics.bytes : 0;
    engine.peak_rss_bytes = peak_memory_bytes();
    engine.ranks = std::move(result.ranks);
    if (result.engine == EngineKind::free) engine.moving_seconds = result.moving_seconds;
    engine.in_lockstep_because = text(result.needs_rounds);
}

/// Notes what it costs that only neighbours are folded.
void tell_order(Report& report) {
    const Metrics& m = report.verdict.metrics;
    if (!report.in_runs || report.packet_bytes == 0) return;
    const bool by_operator = !report.reduction->commutative();
    const std::uint64_t packets = m.volume / report.packet_bytes;
    const std::uint64_t folded = (m.rounds - m.silent_rounds) * report.packets_each;
    if (report.operation == Operation::reduce_scatter) return;  // whose messages have any number of segments
    if (packets > folded)
        report.remarks.push_back(fmt::format(
            "the order of the nodes costs {} packets of volume instead of {}: {} folds neighbours only, and a "
            "message carries a partial result for each run of them",
            packets, folded, by_operator ? name(report.reduction->op) : std::string_view(report.algorithm)));
}

/// If only the first rounds ran on request, violations in them decide the ending.
Ending ending_of(const Report& report, Round until) {
    const bool broken = report.stopped ? until != 0 && report.verdict.violation_count != 0
                                       : !report.verdict.lawful() || misses_fault(report);
    if (broken) return Ending::broken;
    return report.stopped ? Ending::stopped : Ending::lawful;
}

}  // namespace

void put_beside_bounds(const Chosen& chosen, RunResult result, Outcome& outcome) {
    put_request(chosen, outcome.report);
    put_result(std::move(result), outcome.report);
    tell_order(outcome.report);
    outcome.ending = ending_of(outcome.report, chosen.experiment.until);
}

}  // namespace kport
