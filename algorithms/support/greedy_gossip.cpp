#include "algorithms/support/greedy_gossip.hpp"

#include <utility>

#include <fmt/format.h>

#include "algorithms/planning/gossip.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "algorithms/support/segment.hpp"

namespace kport {

namespace {

/// A reduce-scatter asks for the allgather that it reverses.
Collective planned_of(Collective collective) {
    if (collective.operation == Operation::reduce_scatter) collective.operation = Operation::allgather;
    collective.in_runs = collective.scans();
    return collective;
}

constexpr NodeId gossip_nodes_max = 1024;

/// Whether every packet of an all-to-all broadcast travels alone.
bool is_single(const Machine& machine, const Collective& collective) {
    return !machine.combining && collective.operation == Operation::allgather;
}

planning::GossipSize size_of_try(const Machine& machine, const Collective& collective) {
    if (collective.folds()) return planning::size_of_values(*machine.topology);
    return is_single(machine, collective) ? planning::size_of_single_packets(*machine.topology, collective.packets_each)
                                          : planning::size_of_packets(*machine.topology);
}

bool never() { return false; }

Planned plan_gossip(const Machine& machine, const Collective& collective) {
    const Topology& topology = *machine.topology;
    const planning::Graph graph(topology);
    const planning::Calling calling = planning::calling_on(machine);
    const planning::Tries tries =
        planning::tries_for(size_of_try(machine, collective), least_rounds(machine, collective));
    if (is_single(machine, collective))
        return {planning::greedy_single_packets(topology, graph, calling, collective.packets_each, tries, never)};
    if (!collective.folds())
        return {planning::bundled(topology, collective, {}, planning::greedy_gossip(graph, calling, tries, never))};
    return {planning::greedy_fold(topology, graph, calling, collective.scans(), collective.packets_each, tries, never)};
}

/// The shortest of some greedy gossips (planning/gossip.hpp); of a reduce-scatter that of the allgather which it reverses.
std::shared_ptr<const Schedule> planned_gossip(const Machine& machine, const Collective& asked) {
    static KeptPlans kept;
    const Collective collective = planned_of(asked);
    return kept.of(machine, collective, [&] {
        const bool is_quick = size_of_try(machine, collective).words <= planning::gossip_words_quick;
        if (!is_quick) return plan_gossip(machine, collective).schedule;
        return cheapest_plan(machine, collective, [&](const Machine& on) { return plan_gossip(on, collective); });
    });
}

PlanSize size_of_gossip(const Machine& machine, const Collective& asked) {
    const Collective collective = planned_of(asked);
    const auto nodes = static_cast<double>(machine.topology->nodes());
    if (is_single(machine, collective)) {
        const double messages = nodes * nodes * static_cast<double>(collective.packets_each);
        return {messages, messages};
    }
    const double rounds = ceil_log2(machine.topology->nodes()) + static_cast<double>(machine.topology->diameter());
    const double messages = nodes * machine.widest() * rounds;
    const double ranges = collective.operation == Operation::alltoall ? nodes * rounds : nodes / 2;
    return {messages, nodes * ranges};
}

std::optional<std::string> misfit_gossip(const Machine& machine, const Collective& asked,
                                         const AlgorithmOptions& options) {
    const Collective collective = planned_of(asked);
    const bool is_bundled = collective.packets_each > 1 || !collective.folds() || collective.scans();
    if (is_bundled && !collective.signals() && !is_single(machine, collective))
        if (auto why = needs_combining(machine)) return why;
    const bool is_small = machine.topology->nodes() <= gossip_nodes_max &&
                          size_of_try(machine, collective).words <= planning::gossip_words_max;
    return first_of({planned_where(is_small, "one try takes at most 2^25 steps, on at most 1024 nodes"),
                     needs_table(machine), takes_no_options(options)});
}

Start make_gossip(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(planned_gossip(machine, collective), machine, planned_of(collective));
}

ExpectedCost expect_gossip(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (plan_bytes(size_of_gossip(machine, collective)) <= plan_bytes_counted)
        return counted_cost(*planned_gossip(machine, collective), machine, planned_of(collective));
    return {std::nullopt,
            std::nullopt,
            std::nullopt,
            std::nullopt,
            {"the schedule is planned on this graph: no closed form is known",
             "in each round the messages that bring the most, as long as ports are free"}};
}

}  // namespace

Algorithm gossip_row(const Operation& operation, std::string rule, std::string_view combining) {
    return {
        .operation = operation,
        .name = "greedy-gossip",
        .rule = std::move(rule),
        .needs = fmt::format("any graph of moderate size, SF or WH, any k, any duplex{}", combining),
        .cost = "measured",
        .source = "Hedetniemi, Hedetniemi, Liestman 1988 (gossiping)",
        .misfit = misfit_gossip,
        .make = make_gossip,
        .expect = expect_gossip,
        .plan = size_of_gossip,
        .with_many = operation.signals() ? WithMany::together : WithMany::own,
        .single_links = true,
    };
}

}  // namespace kport
