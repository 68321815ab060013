#include "app/session/reporting.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/report/words.hpp"

namespace kport {

namespace {

/// What was asked for, as the report shows it.
void put_request(const Chosen& chosen, Report& report) {
    const Experiment& e = chosen.experiment;
    const Algorithm& algorithm = *chosen.algorithm;
    report.machine = e.machine;
    report.collective = e.collective;
    const bool has_root = e.collective.groups == nullptr;  // else each group has its own
    report.root = !has_root ? std::nullopt : algorithm.through_root ? std::optional(e.collective.root) : e.root();
    if (e.collective.folds()) report.reduction = e.options.reduction;
    report.payload = e.payload;
    report.per_round = e.per_round;
    report.reproducible = e.reproducible;
    report.algorithm = algorithm.name;
    report.ports_at_most = e.options.ports_at_most;
    report.rule = algorithm.rule;
    report.remark = algorithm.remark;
    report.chosen = chosen.reason();
    report.again = again(e, algorithm.name);
    report.unaware_of = names_of(e.unaware_of, e.topology());
    report.bounds = bound_lines(known_bounds(e));
    if (const auto agrees = agreement_of(algorithm, e.topology()); agrees && e.collective.groups == nullptr)
        report.agreement_class = text(*agrees);
    if (const std::string better = agreeing_choice(chosen); !better.empty()) report.remarks.push_back(better);
}

/// Notes what it costs that only neighbours are folded.
void tell_order(Report& report) {
    const Metrics& m = report.verdict.metrics;
    if (!report.collective.in_runs || report.collective.packet_bytes == 0) return;
    const bool by_operator = !report.reduction->commutative();
    const std::uint64_t packets = m.volume / report.collective.packet_bytes;
    const std::uint64_t folded = (m.rounds - m.silent_rounds) * report.collective.packets_each;
    if (report.collective.operation == Operation::reduce_scatter) return;  // whose messages have any number of segments
    if (packets <= folded) return;
    const std::string why =
        report.collective.unfolded
            ? fmt::format("{} folds nothing before the end, so messages carry contributions", report.algorithm)
            : fmt::format("{} can join only consecutive nodes, so messages carry several partial results",
                          by_operator ? name(report.reduction->op) : std::string_view(report.algorithm));
    report.remarks.push_back(
        fmt::format("{}: volume {} packets instead of {}", why, grouped_count(packets), grouped_count(folded)));
}

/// Notes where the volume is above its bound only because counts of packets differ.
void tell_counts(const Chosen& chosen, Report& report) {
    const Experiment& e = chosen.experiment;
    const std::optional<double> bound = report.bounds[Quantity::volume].value;
    if (e.collective.counts == nullptr || e.collective.is_own() || report.stopped || !bound) return;
    if (static_cast<double>(report.verdict.metrics.volume) <= *bound) return;
    const Collective equal = with_equal_counts(e.collective);
    if (misfit_of(*chosen.algorithm, e.machine, equal, e.options)) return;
    const auto packets = expected_cost(*chosen.algorithm, e.machine, equal, e.options).volume;
    const auto least = lower_bounds(e.machine, equal)[Quantity::volume].largest();
    if (packets && least && static_cast<double>(*packets * equal.packet_bytes) <= *least)
        report.remarks.push_back(fmt::format(
            "with equal counts {} would meet the bound on volume; here each round takes as long as its largest message",
            chosen.algorithm->name));
}

/// If only the first rounds ran on request, violations in them decide the ending.
Ending ending_of(const Report& report, Round until) {
    const bool broken = report.stopped ? until != 0 && report.verdict.violation_count != 0
                                       : !report.verdict.lawful() || misses_fault(report) || is_below_bound(report);
    if (broken) return Ending::broken;
    return report.stopped ? Ending::stopped : Ending::lawful;
}

}  // namespace

void put_beside_bounds(const Chosen& chosen, RunResult result, Outcome& outcome) {
    Report& report = outcome.report;
    static_cast<RunResult&>(report) = std::move(result);
    put_request(chosen, report);
    report.collective.rules = report.verdict.judged_by;
    report.peak_rss_bytes = peak_memory_bytes();
    tell_order(report);
    tell_counts(chosen, report);
    judge_agreement(report);
    outcome.ending = ending_of(report, chosen.experiment.until);
}

void put_hotspots(Report& report, const Schedule& transfers) {
    const Round last = static_cast<Round>(report.verdict.metrics.rounds);
    report.hotspots = {load_of(transfers, *report.machine.topology, report.collective, 1, last),
                       critical_path(transfers, report.machine, report.collective, last)};
}

}  // namespace kport
