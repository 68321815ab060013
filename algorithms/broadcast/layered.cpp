/// @file layered.cpp   Broadcast by matchings, computed in every round (after Harutyunyan, Shao 2006).
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/planning/heuristics.hpp"
#include "algorithms/planning/priced_rounds.hpp"
#include "algorithms/planning/round_flow.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

planning::SendLimits send_limits(const Machine& machine) {
    if (machine.node_ports == nullptr) {
        const Port most = machine.ports.is_even() ? machine.widest()
                                                  : std::min(machine.ports.sends(), machine.topology->max_degree());
        return std::max<Port>(1, most);
    }
    std::vector<Port> by_node;
    for (NodeId v = 0; v < machine.topology->nodes(); ++v) by_node.push_back(machine.sends_of(v));
    return planning::SendLimits(std::move(by_node));
}

/// In each round, neighbours of informed nodes are matched with them, first those whose subtrees need the longest
/// (planning::layered()); where links have prices, over links that are not too dear (planning::plan_by_prices()).
///
/// Returns no schedule if it takes more than `looks_max` visits of nodes and channels.
Schedule planned_in_layers(const Machine& machine, const Collective& broadcast, double looks_max) {
    const Topology& topology = *machine.topology;
    const planning::Graph graph(topology);
    const auto looks_a_round = static_cast<double>(topology.nodes() + topology.channels());
    double looks = 0;
    const auto stop = [&] { return (looks += looks_a_round) > looks_max; };
    const std::array<planning::Node32, 1> sources{static_cast<planning::Node32>(broadcast.root)};
    const PacketSet packets = broadcast.owned(broadcast.root, topology.nodes());
    const planning::Calls calls =
        planning::plans_by_prices(machine)
            ? planning::plan_by_prices(machine, sources, broadcast.packets(topology.nodes()) * broadcast.packet_bytes)
            : planning::layered(graph, sources, send_limits(machine), stop);
    Schedule schedule;
    for (const planning::Call& call : calls) {
        const Port port = topology.port_to(call.from, call.to);
        schedule.add(call.round, {call.from, call.to, {&port, 1}, packets.blocks()});
    }
    return schedule;
}

/// Machines with switches: rounds of maximum flows, with the routes of their messages (planning::plan_by_flows()).
Schedule planned_by_flows(const Machine& machine, const Collective& broadcast) {
    const std::array<planning::Node32, 1> sources{static_cast<planning::Node32>(broadcast.root)};
    const PacketSet packets = broadcast.owned(broadcast.root, machine.topology->nodes());
    Schedule schedule;
    for (const planning::RoutedCall& one :
         planning::plan_by_flows(machine, sources, least_rounds(machine, broadcast), [] { return false; }))
        schedule.add(one.call.round, {one.call.from, one.call.to, one.route, packets.blocks()});
    return schedule;
}

/// Returns a lower bound on the links visited: all in each round. In a tree a node informs all its neighbours but one.
double looks_of(const Machine& machine, NodeId source) {
    const Topology& topology = *machine.topology;
    const bool is_tree = topology.channels() == 2 * (topology.nodes() - 1);
    const Port told = is_tree && topology.max_degree() > 1 ? topology.max_degree() - 1 : 0;
    const std::uint64_t rounds =
        std::max<std::uint64_t>(topology.eccentricity(source) + 1, told / std::max<Port>(1, machine.widest()));
    return static_cast<double>(rounds) * static_cast<double>(topology.nodes() + topology.channels());
}

constexpr double planned_looks_max = 1 << 26;  // planned in a second or two

PlanSize plan_of_layered(const Machine& machine, const Collective&) {
    constexpr double bytes_node = 64;
    constexpr double bytes_channel = 8;
    const auto nodes = static_cast<double>(machine.topology->nodes());
    return {nodes, nodes, nodes * bytes_node + static_cast<double>(machine.topology->channels()) * bytes_channel};
}

std::optional<std::string> misfit_broadcast_layered(const Machine& machine, const Collective& collective,
                                                    const AlgorithmOptions& options) {
    constexpr NodeId looked_at_max = NodeId{1} << 22;
    if (auto why = takes_no_options(options)) return why;
    if (machine.topology->fabric() != nullptr)
        return planned_where(planning::steps_of_flow(*machine.topology) <= planning::flow_steps_max,
                             "hosts times channels are at most 2^24");
    const bool fits =
        machine.topology->nodes() <= looked_at_max && looks_of(machine, collective.root) <= planned_looks_max;
    return planned_where(fits, "its rounds times nodes and channels are at most 2^26");
}

Start make_broadcast_layered(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    Collective broadcast = collective;
    broadcast.operation = Operation::broadcast;
    if (machine.topology->fabric() != nullptr)
        return following(planned_by_flows(machine, broadcast), machine, broadcast, PlanRoutes::own);
    return following(planned_in_layers(machine, broadcast, std::numeric_limits<double>::infinity()), machine,
                     broadcast);
}

ExpectedCost expect_broadcast_layered(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    constexpr double expected_looks_max = 1 << 18;
    constexpr double looks_max = 1 << 22;  // some 50 ms, however many rounds there are
    const NodeId nodes = machine.topology->nodes();
    ExpectedCost cost;
    cost.work = nodes - 1;
    // The run plans, and measures.
    if (machine.topology->fabric() != nullptr || planning::plans_by_prices(machine)) return cost;
    if (looks_of(machine, collective.root) <= expected_looks_max) {
        const Round rounds = planned_in_layers(machine, Collective::broadcast(collective.root, 1), looks_max).rounds();
        if (rounds > 0 || nodes == 1) {
            cost.rounds = cost.path_sum = cost.volume = rounds;
            cost.derivation.push_back(fmt::format("planned round by round: {}", counted(rounds, "round")));
        }
    }
    cost.derivation.push_back(
        fmt::format("every node but the source receives once, over one link: work {}", nodes - 1));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_layered() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "layered",
            .rule =
                "in each round informed nodes are matched with neighbours, those that need the longest first; where "
                "links have prices, over cheap ones; through switches, a maximum flow; planned once",
            .needs = "any graph of moderate size, SF or WH, any k",
            .cost = "measured; on graphs of some hundred nodes at most a round above the minimum, usually none",
            .source = "after Harutyunyan, Shao 2006; Scheuermann, Wu 1984",
            .misfit = misfit_broadcast_layered,
            .make = make_broadcast_layered,
            .expect = expect_broadcast_layered,
            .plan = plan_of_layered,
            .single_links = true,
            .port_use = PortUse::each,
        },
        Operation::reduce);
}

}  // namespace kport
