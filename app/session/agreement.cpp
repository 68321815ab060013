#include "app/session/reporting.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/node/fold_order.hpp"
#include "emulator/report/words.hpp"

namespace kport {

namespace {

constexpr std::uint64_t results_counted_max = 65536;

/// Without values the brackets alone are judged.
bool is_exact(const Experiment& e) { return e.payload && e.options.reduction.op.is_exact(e.options.reduction.type); }

/// Whether two runs moved the same.
bool moved_alike(const Verdict& one, const Verdict& other) {
    const auto same = [&](const QuantityRow& row) { return row.of(one.metrics) == row.of(other.metrics); };
    return other.lawful() && one.metrics.transfers == other.metrics.transfers &&
           std::ranges::all_of(quantity_rows, same);
}

}  // namespace

std::vector<const Algorithm*> disagreeing(const Experiment& e) {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : catalogue())
        if (row.operation == e.collective.operation && row.by_default &&
            agreement_of(row, e.topology()).value_or(Agrees::no) == Agrees::no)
            rows.push_back(&row);
    return rows;
}

std::optional<Agreement> counted_brackets(const Collective& collective, const Reduction& reduction, bool decide,
                                          NodeId nodes, const RunResult& result, const BracketRun& run) {
    if (!collective.folds() || collective.rules.agree == Force::off) return std::nullopt;
    if (!decide && nodes * collective.segments(nodes) > results_counted_max) return std::nullopt;
    if (result.stopped || !result.verdict.lawful()) return std::nullopt;
    try {
        const RunResult again = run(brackets_of(reduction));
        if (again.stopped || !moved_alike(result.verdict, again.verdict)) return std::nullopt;
        return again.agreement;
    } catch (const RequestError&) {
        return std::nullopt;  // a program that needs values of its own type
    } catch (const ProgramError&) {
        return std::nullopt;
    }
}

void judge_agreement(Report& report) {
    const bool is_judged = report.collective.rules.agree == Force::law && report.verdict.lawful() && !report.stopped;
    if (!is_judged || !has_several_holders(report.collective) || is_exact(report)) return;
    if (report.brackets && report.brackets->different <= 1) return;
    Violation violation;
    violation.breach = Breach::brackets_differ;
    violation.limit = report.brackets ? report.brackets->different : 0;
    ++report.verdict.violation_count;
    ++report.verdict.violations_by_rule.at(static_cast<std::size_t>(Rule::agree));
    report.verdict.violations.push_back(violation);
}

bool wants_agreement(const Experiment& e) {
    return e.collective.folds() && e.collective.rules.agree == Force::law && !is_exact(e);
}

void require_folds_for_agreement(const Collective& collective) {
    if (collective.folds() || collective.rules.agree == Rules().agree) return;
    throw RequestError(fmt::format("rules '{}': {} folds nothing; leave agree out", text(collective.rules),
                                   name(collective.operation)));
}

std::string agreeing_choice(const Chosen& chosen) {
    const Experiment& e = chosen.experiment;
    if (!chosen.choice || !e.collective.folds() || is_exact(e) ||
        agreement_of(*chosen.algorithm, e.topology()) != Agrees::no)
        return "";
    const Choice best = choose(e.machine, e.collective, e.options, true, disagreeing(e));
    const auto candidate = std::ranges::find(best.candidates, best.algorithm, &Candidate::algorithm);
    return fmt::format("results may differ from node to node; {} agrees on all values: latency {}",
                       best.algorithm->name, Choice::told(*candidate));
}

}  // namespace kport
