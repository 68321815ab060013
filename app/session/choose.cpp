#include "app/session/choose.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/reporting.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

namespace {

/// "keep, op concat": the options that may keep an algorithm from running.
std::string picky_options(const AlgorithmOptions& options) {
    std::string given = fmt::format("{}", fmt::join(names_of_given(options), ", "));
    if (options.reduction.commutative()) return given;
    return fmt::format("{}{}op {}", given, given.empty() ? "" : ", ", name(options.reduction.op));
}

/// Where an option is given that no algorithm takes which would run without it: those that take it, and what they need.
void blame_option_without_taker(const Experiment& e, const std::vector<const Algorithm*>& without_options) {
    for (const std::string_view given : names_of_given(e.options)) {
        const auto takes = [&](const Algorithm& row) { return has_word(row.takes, given); };
        if (std::ranges::any_of(without_options, [&](const Algorithm* row) { return takes(*row); })) continue;
        std::vector<std::string> takers;
        for (const Algorithm& row : rows_for(e.collective.operation))
            if (row.operation == e.collective.operation && takes(row))
                takers.push_back(fmt::format("{} does, and {}", row.name,
                                             misfit_of(row, e.machine, e.collective, e.options).value_or("would do")));
        throw RequestError(
            takers.empty()
                ? fmt::format("{}: no algorithm of {} takes it; leave it out", given, name(e.collective.operation))
                : fmt::format("{}: no {} on {} takes it; {}", given, name(e.collective.operation), e.topology().spec(),
                              fmt::join(takers, "; ")));
    }
}

/// Where algorithms would run but for the root, which the operation does not have.
void blame_root(const Experiment& e) {
    if (e.collective.rooted() || e.collective.root == 0) return;
    Collective without_root = e.collective;
    without_root.root = 0;
    if (applicable(e.machine, without_root, e.options).empty()) return;
    std::vector<std::string_view> with_root;
    for (const Algorithm& row : rows_for(e.collective.operation))
        if (row.operation == e.collective.operation && row.through_root) with_root.push_back(row.name);
    throw RequestError(fmt::format("root: only {} {} a root in a {}; leave it out", fmt::join(with_root, ", "),
                                   with_root.size() == 1 ? "has" : "have", name(e.collective.operation)));
}

/// The algorithms that run as asked. Where there are none, but would be without the root or the options, throws RequestError, which
/// names these.
std::vector<const Algorithm*> applicable_or_blamed(const Experiment& e) {
    std::vector<const Algorithm*> rows = applicable(e.machine, e.collective, e.options);
    if (!rows.empty()) return rows;
    AlgorithmOptions fewer = e.options;
    for (const Port k : fewer_ports(with_fewer_ports(e.machine, e.options))) {
        fewer.ports_at_most = k;
        rows = applicable(e.machine, e.collective, fewer);
        if (!rows.empty()) return rows;
    }
    blame_root(e);
    const std::vector<const Algorithm*> without_options = applicable(e.machine, e.collective, {});
    if (!without_options.empty()) blame_option_without_taker(e, without_options);
    std::vector<std::string> reasons;
    for (const Algorithm* row : without_options)
        reasons.push_back(
            fmt::format("{} {}", row->name, misfit_of(*row, e.machine, e.collective, e.options).value_or("would do")));
    if (!reasons.empty())
        throw RequestError(fmt::format("no algorithm of {} on {} runs with {}: {}", name(e.collective.operation),
                                       e.topology().spec(), picky_options(e.options), fmt::join(reasons, "; ")));
    return rows;
}

}  // namespace

std::string Chosen::reason() const {
    if (!choice || (choice->candidates.size() <= 1 && too_large.empty())) return "";
    std::string why = choice->candidates.size() == 1 ? "the only algorithm that applies and fits" : choice->reason();
    if (only_agreeing) why += "; of those that agree";
    for (const auto& [row, bytes] : too_large)
        why += fmt::format("; {} needs about {}, more memory than there is", row->name, gib(bytes));
    return why;
}

void require_algorithms(const Operation& operation) {
    std::vector<std::string_view> served;
    for (const Algorithm& row : rows_for(operation)) {
        if (row.operation == operation) return;
        if (std::find(served.begin(), served.end(), name(row.operation)) == served.end())
            served.push_back(name(row.operation));
    }
    throw RequestError(
        fmt::format("no algorithm for {} yet; there are algorithms for {}", name(operation), fmt::join(served, ", ")));
}

void require_known_options(const Experiment& e) {
    if (!e.algorithm.empty()) {
        (void)algorithm_named(e.algorithm, e.machine, e.collective, e.options);
        return;
    }
    Experiment whatever_is_folded = e;
    whatever_is_folded.options.reduction = {};
    (void)applicable_or_blamed(whatever_is_folded);
}

void require_runnable(const Experiment& e) {
    if (!e.algorithm.empty()) {
        (void)algorithm_named(e.algorithm, e.machine, e.collective, e.options);
        return;
    }
    if (!applicable_or_blamed(e).empty()) return;
    try {
        (void)choose(e.machine, e.collective, e.options);
    } catch (const DoesNotFit&) {
        return;  // what else there is takes too long to find
    }
}

namespace {

/// The best, and of those that fit the best, if any does: what does not fit is left out before the next one is looked for.
void choose_what_fits(Chosen& chosen) {
    const Experiment& e = chosen.experiment;
    std::vector<const Algorithm*> left_out;
    if (wants_agreement(e)) left_out = disagreeing(e);
    const std::vector<const Algorithm*> rows = applicable_or_blamed(e);
    chosen.only_agreeing = std::ranges::find_first_of(rows, left_out) != rows.end();
    while (true) {
        const Choice best = choose(e.machine, e.collective, e.options, true, left_out);
        if (best.algorithm == nullptr) break;
        if (!chosen.choice) chosen.choice = best;  // if none fits, a run says what the best one needs
        Experiment kept = e;
        kept.options = best.options(e.options);
        if (may_fit(kept, *best.algorithm)) {
            chosen.choice = best;
            return;
        }
        left_out.push_back(best.algorithm);
        chosen.too_large.push_back({best.algorithm, bytes_needed(kept, best.algorithm)});
    }
    if (!chosen.choice)
        throw RequestError(
            fmt::format("rules 'agree=law': on no machine like this does an algorithm of {} leave the same bits at all "
                        "nodes whatever the values; want agree=count",
                        name(e.collective.operation)));
    chosen.too_large.clear();
}

}  // namespace

Chosen choose(const Experiment& e) {
    require_algorithms(e.collective.operation);
    Chosen chosen{e, nullptr, std::nullopt, {}};
    if (!e.algorithm.empty()) {
        chosen.algorithm = &algorithm_named(e.algorithm, e.machine, e.collective, e.options);
    } else {
        choose_what_fits(chosen);
        chosen.algorithm = chosen.choice->algorithm;
        chosen.experiment.options = chosen.choice->options(e.options);
    }
    chosen.experiment.collective = judged_collective(*chosen.algorithm, e.collective, chosen.experiment.options);
    return chosen;
}

}  // namespace kport
