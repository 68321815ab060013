/// @file layered.cpp   Scatter along the tree of a broadcast in few rounds.
#include <algorithm>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/planning/graph.hpp"
#include "algorithms/planning/heuristics.hpp"
#include "algorithms/planning/round_flow.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"

namespace kport {

namespace {

constexpr NodeId scattered_nodes_max = 2048;

const Algorithm& layered_broadcast() { return *find_algorithm(Operation::broadcast, "layered"); }

/// With switches: the messages and the routes of planning::plan_by_flows().
Schedule plan_scatter_by_flows(const Machine& machine, const Collective& scatter) {
    const auto root = static_cast<planning::Node32>(scatter.root);
    const std::vector<planning::RoutedCall> calls =
        planning::plan_by_flows(machine, {&root, 1}, least_rounds(machine, scatter), [] { return false; });
    return planning::with_routes(
        planning::bundled(*machine.topology, scatter, {&scatter.root, 1}, planning::calls_of(calls)), calls);
}

Schedule plan_scatter(const Machine& machine, const Collective& scatter) {
    if (machine.topology->fabric() != nullptr) return plan_scatter_by_flows(machine, scatter);
    const planning::Graph graph(*machine.topology);
    const auto root = static_cast<planning::Node32>(scatter.root);
    const planning::Calls calls =
        planning::plans_by_prices(machine)
            ? planning::plan_by_prices(machine, {&root, 1}, scatter.packet_bytes * scatter.packets_each)
            : planning::layered(graph, {&root, 1}, std::max<Port>(1, machine.widest()), [] { return false; });
    return planning::bundled(*machine.topology, scatter, {&scatter.root, 1}, calls);
}

/// A gather asks for the scatter that it reverses.
std::shared_ptr<const Schedule> planned_scatter(const Machine& machine, Collective scatter) {
    static KeptPlans kept;
    scatter.operation = Operation::scatter;
    return kept.of(machine, scatter, [&] { return plan_scatter(machine, scatter); });
}

/// One-to-all scatter, planned.
///
/// Machine   any graph of up to 2048 nodes, store-and-forward or wormhole, any k, combining
/// Gives     every node holds its own packet
/// Costs     the rounds of broadcast layered, work N - 1
/// Idea      A node's first message in the broadcast carries what is for it and for those who hear through it.
/// Source    broadcast layered; with bundles a scatter takes as many rounds as a broadcast
Start make_scatter_layered(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    Collective scatter = collective;
    scatter.operation = Operation::scatter;
    return following(planned_scatter(machine, scatter), machine, scatter, Routes::of_schedule);
}

PlanSize plan_of_scatter_layered(const Machine& machine, const Collective&) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    return {nodes, nodes * static_cast<double>(machine.topology->diameter()) / 2};
}

std::optional<std::string> misfit_scatter_layered(const Machine& machine, const Collective& collective,
                                                  const AlgorithmOptions& options) {
    if (auto why = needs_combining(machine)) return why;
    if (auto why = unless(machine.topology->nodes() <= scattered_nodes_max, "is planned on at most 2048 nodes"))
        return why;
    return layered_broadcast().misfit(machine, collective, options);
}

ExpectedCost expect_scatter_layered(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (plan_bytes(plan_of_scatter_layered(machine, collective)) <= plan_bytes_counted) {
        Collective scatter = collective;
        scatter.operation = Operation::scatter;
        return counted_cost(*planned_scatter(machine, scatter), machine, scatter);
    }
    ExpectedCost cost = layered_broadcast().expect(machine, collective, {});
    cost.volume = std::nullopt;
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_layered() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "layered",
            .rule = "along the messages of broadcast layered: each carries what is for those who hear through it",
            .needs = "any graph of at most 2048 nodes, SF or WH, any k, combining",
            .cost = "the rounds of broadcast layered, work N-1",
            .source = "with bundles a scatter takes as many rounds as a broadcast",
            .misfit = misfit_scatter_layered,
            .make = make_scatter_layered,
            .expect = expect_scatter_layered,
            .plan = plan_of_scatter_layered,
            .with_many = WithMany::own,
            .single_links = true,
        },
        Operation::gather);
}

}  // namespace kport
