/// @file reporting.hpp   The result of a run becomes a report: beside its bounds, judged anew, in phases, with the brackets of a reduction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/choose.hpp"
#include "app/session/run.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Writes the request, the result and the lower bounds into the outcome's report, and decides how the run ended. Keeps the injected
/// faults that the report already has.
void put_beside_bounds(const Chosen& chosen, RunResult result, Outcome& outcome);

/// Writes into the report where the transfers of its run, or of its schedule, load the machine.
void put_hotspots(Report& report, const Schedule& transfers);

/// What a run says of itself that its transfers do not show. The findings of its verdict can make a verdict worse, never better; its
/// results are shown only if the run is broken or holds no bytes; engine, times and threads are taken as they are.
struct RunClaims {
    RunResult result = {};
    std::uint64_t peak_rss_bytes = 0;
};

/// Judges what moved by every rule, moves its bytes again and compares them, and puts it beside the lower bounds. Counts, costs,
/// bytes and delivery come from the schedule alone. A reduction is folded again if the schedule is lawful. Faults are
/// injected here, into a run that follows the schedule.
///
/// Requires  chosen.algorithm->make follows the schedule (algorithms/support/planned.hpp).
/// Errors    as audit() and run().
[[nodiscard]] Outcome judged(const Chosen& chosen, const Schedule& schedule, const RunClaims& claims,
                             const Caller& caller = {});

/// Runs each phase of an algorithm that has some by itself, without bytes, and puts it beside its own bounds. What a phase costs that
/// promises nothing by itself is what the others leave of the whole (ComposedPhase::carries_rest). `whole`: the report of the run. Empty where the
/// algorithm has no phases. Throws as run().
[[nodiscard]] std::vector<Report> reports_of_phases(const Chosen& chosen, const Caller& caller, const Report& whole);

/// What a run of the same messages gives where the values are brackets (node/fold_order.hpp).
using BracketRun = std::function<RunResult(const Reduction& brackets)>;

/// Counts the brackets of a lawful reduction by a second run, which must come out as the first: programs that look at their values may
/// do something else, and their brackets are not counted. Beyond 65,536 results, N for each segment, they are counted only where they
/// `decide` whether a rule is kept. O(a run).
[[nodiscard]] std::optional<Agreement> counted_brackets(const Collective& collective, const Reduction& reduction,
                                                        bool decide, NodeId nodes, const RunResult& result,
                                                        const BracketRun& run);

/// Adds the violation of `agree` where it is law, the operator is not exact, and results have several brackets, whatever the values were.
void judge_agreement(Report& report);

/// Whether only algorithms whose results always agree may be chosen: the rule is law, and no exact operator folds values.
[[nodiscard]] bool wants_agreement(const Experiment& experiment);
/// The algorithms of the operation that are chosen by default somewhere, and whose results may disagree on this machine.
[[nodiscard]] std::vector<const Algorithm*> disagreeing(const Experiment& experiment);
/// Throws RequestError where the rule is named for an operation that does not fold.
void require_folds_for_agreement(const Collective& collective);
/// "exchange agrees on all values, for a latency of 21.28", where the run may disagree and its algorithm was not named; else empty.
[[nodiscard]] std::string agreeing_choice(const Chosen& chosen);

}  // namespace kport
