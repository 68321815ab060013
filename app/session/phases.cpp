#include "app/session/reporting.hpp"

#include <memory>
#include <utility>

#include "emulator/machine/smaller_machine.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

/// What a phase does, as an experiment of its own.
Experiment experiment_of(const ComposedPhase& phase, const Experiment& whole) {
    Experiment e = whole;
    e.algorithm = phase.algorithm;
    e.options = AlgorithmOptions();
    e.options.reduction = whole.options.reduction;
    e.payload = e.per_round = false;
    e.collective = Collective::of(phase.operation, phase.root, whole.collective.packet_bytes);
    e.collective.rules = whole.collective.rules;
    e.collective.packets_each = phase.packets_each;
    if (phase.members.empty()) {
        std::vector<RankedNodes> groups;
        for (const std::vector<NodeId>& group : phase.groups) groups.emplace_back(group);
        e.collective.groups = std::make_shared<const std::vector<RankedNodes>>(std::move(groups));
        return e;
    }
    e.machine = member_machine(whole.machine, phase.members);
    if (phase.operation.rooted()) e.collective.root = RankedNodes(phase.members).rank(phase.root);
    if (phase.counts != nullptr) e.collective = counting(std::move(e.collective), phase.counts);
    e.options.reduction.values.clear();  // those of leaders are folds of others
    return e;
}

/// What the others leave of the whole.
Metrics rest_of(const Report& whole, const std::vector<Report>& others) {
    Metrics rest = whole.verdict.metrics;
    for (const Report& other : others)
        for (const QuantityRow& row : quantity_rows) {
            if (row.count != nullptr)
                rest.*row.count -= other.verdict.metrics.*row.count;
            else
                rest.*row.time -= other.verdict.metrics.*row.time;
        }
    return rest;
}

}  // namespace

std::vector<Report> reports_of_phases(const Chosen& chosen, const Caller& caller, const Report& whole) {
    const Experiment& e = chosen.experiment;
    if (chosen.algorithm->phases == nullptr) return {};
    Caller quiet;
    quiet.stop = caller.stop;
    std::vector<Report> judged;
    std::vector<Report> all;
    const std::vector<ComposedPhase> phases = chosen.algorithm->phases(e.machine, e.collective, e.options);
    for (const ComposedPhase& phase : phases) {
        Experiment own = experiment_of(phase, e);
        if (!phase.carries_rest) {
            judged.push_back(run(own, quiet).report);
            all.push_back(judged.back());
            continue;
        }
        Report& report = all.emplace_back();
        report.machine = own.machine;
        report.collective = std::move(own.collective);
        report.algorithm = phase.algorithm;
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        if (phases[i].carries_rest) {
            all[i].verdict = whole.verdict;
            all[i].verdict.metrics = rest_of(whole, judged);
        }
    return all;
}

}  // namespace kport
