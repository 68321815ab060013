/// @file agreement.hpp   The brackets of a reduction, counted by a second run, and the rule that its results agree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/choose.hpp"
#include "emulator/report/report.hpp"

namespace kport {

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
