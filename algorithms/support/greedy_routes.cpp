#include "algorithms/support/greedy_routes.hpp"

#include "algorithms/planning/gossip.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"

namespace kport {

namespace {

/// Of an all-to-all scatter, or of a scatter, in the order of their owners.
std::vector<planning::RoutedPacket> packets_of(const Collective& collective, NodeId nodes) {
    const auto n = static_cast<planning::Node32>(nodes);
    const auto m = static_cast<std::uint32_t>(collective.packets_each);
    const bool has_root = collective.rooted();
    std::vector<planning::RoutedPacket> packets;
    for (planning::Node32 owner = 0; owner < n; ++owner) {
        if (has_root && owner != collective.root) continue;
        for (planning::Node32 target = 0; target < n; ++target)
            for (std::uint32_t row = 0; row < m && target != owner; ++row)
                packets.push_back({owner, target, {target, 1, 1, has_root ? row : owner * m + row}});
    }
    return packets;
}

planning::GossipSize size_of_routed_try(const Machine& machine, const Collective& collective) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    const auto diameter = static_cast<double>(machine.topology->diameter());
    const double of_node = nodes * static_cast<double>(collective.packets_each);
    return collective.rooted() ? planning::size_of_routes(of_node, of_node + diameter)
                               : planning::size_of_routes(nodes * of_node, of_node * diameter);
}

Planned plan_routes(const Machine& machine, const Collective& collective) {
    const planning::Graph graph(*machine.topology);
    constexpr double tries_max = 512;
    return {planning::greedy_routes(
        *machine.topology, graph, planning::calling_on(machine), packets_of(collective, machine.topology->nodes()),
        planning::tries_for(size_of_routed_try(machine, collective), least_rounds(machine, collective), tries_max))};
}

std::shared_ptr<const Schedule> planned_routes(const Machine& machine, const Collective& collective) {
    static KeptPlans kept;
    return kept.of(machine, collective, [&] {
        if (size_of_routed_try(machine, collective).words > planning::gossip_words_quick)
            return plan_routes(machine, collective).schedule;
        return cheapest_plan(machine, collective, [&](const Machine& on) { return plan_routes(on, collective); });
    });
}

PlanSize size_of_routed(const Machine& machine, const Collective& collective) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    const double messages = (collective.rooted() ? 1 : nodes) * nodes * static_cast<double>(collective.packets_each) *
                            static_cast<double>(machine.topology->diameter());
    return {messages, messages};
}

std::optional<std::string> misfit_greedy_routes(const Machine& machine, const Collective& collective,
                                                const AlgorithmOptions& options) {
    const bool is_small = size_of_routed_try(machine, collective).words <= planning::gossip_words_max;
    return first_of({collective.rooted() ? needs_no_combining(machine) : std::nullopt,
                     planned_where(is_small, "one try takes at most 2^25 steps"), needs_table(machine),
                     takes_no_options(options)});
}

/// Packets that travel alone, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not; combining or not from all
///           nodes, without combining from one
/// Gives     node v holds the packets addressed to v, by all nodes or by the source
/// Costs     measured; work: the sum of the distances, the least of single packets
/// Idea      Every packet travels alone on a shortest path. In each round those go that have farthest to go, and those of nodes with
///           the most to send, as long as ports and channels are free; the shortest of some schedules
///           with other weights of the two, improved by changing who goes first.
/// Source    greedy list scheduling; Leighton, Maggs, Rao 1994 (congestion + dilation)
Start make_greedy_routes(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(planned_routes(machine, collective), machine, collective);
}

ExpectedCost expect_greedy_routes(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (plan_bytes(size_of_routed(machine, collective)) <= plan_bytes_counted)
        return counted_cost(*planned_routes(machine, collective), machine, collective);
    return {std::nullopt,
            std::nullopt,
            std::nullopt,
            std::nullopt,
            {"the schedule is planned on this graph: no closed form is known",
             "every packet travels alone, on a shortest path"}};
}

}  // namespace

Algorithm routes_row(const Operation& operation) {
    return {
        .operation = operation,
        .name = "greedy-routes",
        .rule =
            "packets travel alone on shortest paths; who has farthest to go, or waits where the most wait, goes first",
        .needs = operation.rooted() ? "any graph of moderate size, SF or WH, any k, any duplex, without combining"
                                    : "any graph of moderate size, SF or WH, any k, any duplex, combining or not",
        .cost = "measured; work: the sum of the distances",
        .source = "Leighton, Maggs, Rao 1994 (congestion + dilation)",
        .misfit = misfit_greedy_routes,
        .make = make_greedy_routes,
        .expect = expect_greedy_routes,
        .plan = size_of_routed,
        .with_many = WithMany::own,
        .single_links = true,
        .single_packets = true,
    };
}

}  // namespace kport
