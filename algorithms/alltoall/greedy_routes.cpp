/// @file greedy_routes.cpp   All-to-all scatter of packets that travel alone, planned.
#include "algorithms/catalogue.hpp"
#include "algorithms/planning/gossip.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"

namespace kport {

namespace {

Planned plan_routes(const Machine& machine, const Collective& collective) {
    const planning::Graph graph(*machine.topology);
    constexpr double tries_max = 512;
    const planning::GossipSize size = planning::size_of_routes(*machine.topology, collective.packets_each);
    return {planning::greedy_routes(*machine.topology, graph, planning::calling_on(machine), collective.packets_each,
                                    planning::tries_for(size, least_rounds(machine, collective), tries_max))};
}

std::shared_ptr<const Schedule> planned_routes(const Machine& machine, const Collective& collective) {
    static KeptPlans kept;
    return kept.of(machine, collective, [&] {
        const planning::GossipSize size = planning::size_of_routes(*machine.topology, collective.packets_each);
        if (size.words > planning::gossip_words_quick) return plan_routes(machine, collective).schedule;
        return cheapest_plan(machine, collective, [&](const Machine& on) { return plan_routes(on, collective); });
    });
}

PlanSize size_of_routed(const Machine& machine, const Collective& collective) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    const double messages = nodes * nodes * static_cast<double>(collective.packets_each) *
                            static_cast<double>(machine.topology->diameter());
    return {messages, messages};
}

std::optional<std::string> misfit_greedy_routes(const Machine& machine, const Collective& collective,
                                                const AlgorithmOptions& options) {
    const bool is_small =
        planning::size_of_routes(*machine.topology, collective.packets_each).words <= planning::gossip_words_max;
    return first_of(
        {planned_where(is_small, "one try takes at most 2^25 steps"), needs_table(machine), takes_no_options(options)});
}

/// All-to-all scatter, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not, combining or not
/// Gives     node v holds the packets addressed to v
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

std::vector<Algorithm> algorithms_in_alltoall_greedy_routes() {
    return {{
        .operation = Operation::alltoall,
        .name = "greedy-routes",
        .rule =
            "packets travel alone on shortest paths; who has farthest to go, or waits where the most wait, goes first",
        .needs = "any graph of moderate size, SF or WH, any k, any duplex, combining or not",
        .cost = "measured; work: the sum of the distances",
        .source = "Leighton, Maggs, Rao 1994 (congestion + dilation)",
        .misfit = misfit_greedy_routes,
        .make = make_greedy_routes,
        .expect = expect_greedy_routes,
        .plan = size_of_routed,
        .with_many = WithMany::own,
        .single_links = true,
        .single_packets = true,
    }};
}

}  // namespace kport
