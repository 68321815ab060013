#include "app/session/reporting.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "app/session/choose.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/replay.hpp"

namespace kport {

namespace {

/// The schedule, judged without bytes.
RunResult audited(const Schedule& schedule, const Experiment& e, const Collective& collective, bool stopped) {
    RunResult result;
    ScheduleAudit rounds(schedule, e.machine, collective, e.per_round);
    while (rounds.next()) {
    }
    rounds.auditor().expect_no_results();
    result.stopped = stopped;
    result.verdict = stopped ? rounds.finish_stopped() : rounds.finish();
    return result;
}

/// Programs that follow a lawful schedule fold what moves.
RunResult folded_again(const Chosen& chosen, const Caller& caller) {
    const Experiment& e = chosen.experiment;
    RunOptions options;
    options.threads = e.thread_count();
    options.per_round = e.per_round;
    options.stop = caller.stop;
    return run_algorithm(*chosen.algorithm, e.machine, e.collective, e.options, {e.payload, e.seed}, options);
}

/// Moves the bytes again, if the run came to its end. Those of a reduction move as programs fold them, which broken schedules prevent.
RunResult replayed(const Chosen& chosen, const Schedule& schedule, const Collective& collective,
                   const RunResult& claims, const Caller& caller) {
    const Experiment& e = chosen.experiment;
    if (claims.stopped || collective.folds()) {
        RunResult result = audited(schedule, e, collective, claims.stopped);
        return e.payload && result.verdict.lawful() && claims.verdict.lawful() ? folded_again(chosen, caller) : result;
    }
    ReplayOptions options;
    options.payload = e.payload;
    options.seed = e.seed;
    options.per_round = e.per_round;
    options.stop = caller.stop;
    return replay(schedule, e.machine, collective, options);
}

/// Whether every rule that the verdict finds broken is claimed to be, as often at least.
bool covered(const Verdict& verdict, const Verdict& claimed) {
    for (std::size_t i = 0; i < verdict.violations_by_rule.size(); ++i)
        if (claimed.violations_by_rule[i] < verdict.violations_by_rule[i]) return false;
    return claimed.violation_count >= verdict.violation_count;
}

/// Takes in what only the run itself knows: programs that wait, wrong results.
void add_claims(const RunResult& claims, RunResult& result) {
    Verdict& verdict = result.verdict;
    const Verdict& claimed = claims.verdict;
    const bool compared = verdict.compared_packets != 0;
    if (claimed.violation_count != 0 && covered(verdict, claimed)) {
        verdict.violation_count = claimed.violation_count;
        verdict.violations = claimed.violations;
        verdict.violations_by_rule = claimed.violations_by_rule;
    }
    verdict.delivered &= claimed.delivered;
    verdict.holders = std::min(verdict.holders, claimed.holders);
    if (verdict.lawful()) return;
    if (!compared) {
        verdict.compared_packets = claimed.compared_packets;
        verdict.compared_bytes = claimed.compared_bytes;
    }
    if (result.results.empty()) result.results = claims.results;
}

void require_lawful(const Chosen& chosen, const RunResult& claims) {
    if (claims.verdict.lawful()) return;
    throw RequestError(
        fmt::format("injection {}: {} {} on {} breaks rules by itself; a fault needs a run that keeps them",
                    info(chosen.experiment.injection->fault).name, name(chosen.algorithm->operation),
                    chosen.algorithm->name, chosen.experiment.topology().spec()));
}

}  // namespace

Outcome judged(const Chosen& chosen, const Schedule& schedule, const RunClaims& claims, const Caller& caller) {
    const Experiment& e = chosen.experiment;
    admit(e, chosen.algorithm);
    if (e.injection && !claims.result.stopped) {
        require_lawful(chosen, claims.result);
        return run(chosen, caller);
    }
    const Collective collective = judged_collective(*chosen.algorithm, e.collective, e.options);
    RunResult found = replayed(chosen, schedule, collective, claims.result, caller);
    Outcome outcome;
    const auto run_again = [&](const Reduction& brackets) {
        Chosen again = chosen;
        again.experiment.options.reduction = brackets;
        again.experiment.payload = true;
        return folded_again(again, caller);
    };
    outcome.report.brackets =
        counted_brackets(collective, e.options.reduction, wants_agreement(e), e.topology().nodes(), found, run_again);
    add_claims(claims.result, found);
    RunResult result = claims.result;
    result.agreement = std::move(found.agreement);
    result.verdict = std::move(found.verdict);
    result.results = std::move(found.results);
    result.stopped |= found.stopped;
    result.out_of_rounds &= claims.result.stopped;
    put_beside_bounds(chosen, std::move(result), outcome);
    outcome.report.peak_rss_bytes = claims.peak_rss_bytes;
    return outcome;
}

}  // namespace kport
