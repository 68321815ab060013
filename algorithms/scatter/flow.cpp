/// @file flow.cpp   Scatter of single packets in the fewest rounds, by maximum flow (model.md section 5.5).
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/planning/round_flow.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// Returns the rounds that the root's ports and the distances require: the last of n(d) packets for nodes at distance d
/// or more, sent at most k a round, has d - 1 links to go after it has left (model.md section 2).
Round rounds_at_least(const Machine& machine, NodeId root) {
    std::vector<std::uint64_t> profile = machine.topology->distance_profile(root);
    const bool reaches_all = machine.topology->fabric() != nullptr && machine.switching == Switching::wormhole;
    if (reaches_all) profile = {1, machine.topology->nodes() - 1};  // messages pass hosts, too
    const std::uint64_t ports = std::max<Port>(1, machine.sends_of(root));
    std::uint64_t least = 0;
    std::uint64_t beyond = 0;
    for (std::size_t d = profile.size(); d-- > 1;) {
        beyond += profile[d];
        least = std::max(least, d - 1 + (beyond + ports - 1) / ports);
    }
    return static_cast<Round>(least);
}

/// The time-expanded network of a machine: each node once at the start and once after each round. Packets flow from the
/// root, at most as many a round through a link as it carries, through a switch as its limit and through a host's ports as
/// these allow, and may wait in any host. One ends at each other host; its end says which packet it is.
class RoundsOfFlow {
  public:
    RoundsOfFlow(const Machine& machine, NodeId root, Round rounds)
        : graph_(*machine.topology), wires_(graph_.wires()), links_(wires_), root_(root), rounds_(rounds),
          network_(held(0, rounds + 1) + 1), of_round_(rounds) {
        for (Round after = 0; after <= rounds_; ++after) {
            for (NodeId v = 0; v < graph_.nodes(); ++v) {
                if (graph_.fabric() == nullptr && graph_.distance(root_, v) > after) continue;
                if (after > 0 && v != root_)
                    of_round_[after - 1].receives.emplace_back(
                        v, add(coming(v, after), held(v, after), machine.receives_of(v)));
                if (after == rounds_) {
                    if (v != root_) add(held(v, after), end(), 1);
                    continue;
                }
                add(held(v, after), held(v, after + 1), graph_.nodes());
                of_round_[after].sends.emplace_back(v, add(held(v, after), going(v, after), machine.sends_of(v)));
            }
            if (after < rounds_) add_round(machine, after);
        }
    }

    /// Whether all packets arrive.
    [[nodiscard]] bool suffices() {
        return std::cmp_equal(boost::push_relabel_max_flow(network_, held(root_, 0), end()), graph_.nodes() - 1);
    }

    /// Returns every packet's path. Only if suffices().
    [[nodiscard]] Schedule schedule() const {
        std::vector<std::vector<planning::RoutedCall>> ways(graph_.nodes() - 1);
        std::vector<std::vector<std::size_t>> here(graph_.nodes());  // packets at a node; their ends say which ones
        for (std::size_t packet = 0; packet < ways.size(); ++packet) here[root_].push_back(packet);
        for (Round round = 1; round <= rounds_; ++round) {
            std::vector<std::pair<std::size_t, NodeId>> arriving;
            for (const planning::RoutedCall& hop : calls_of(round)) {
                const std::size_t packet = here[hop.call.from].back();
                here[hop.call.from].pop_back();
                arriving.emplace_back(packet, hop.call.to);
                std::vector<planning::RoutedCall>& way = ways[packet];
                way.push_back(hop);
                // A packet that returns might as well have stayed.
                way.erase(std::ranges::find(way, hop.call.to, [](const auto& one) { return one.call.from; }),
                          way.end());
            }
            for (const auto& [packet, to] : arriving) here[to].push_back(packet);
        }
        std::vector<std::pair<planning::RoutedCall, NodeId>> hops;
        for (NodeId v = 0; v < graph_.nodes(); ++v)
            if (v != root_)
                for (const planning::RoutedCall& hop : ways[here[v].front()]) hops.emplace_back(hop, v);
        std::ranges::stable_sort(hops, {}, [](const auto& sent) { return sent.first.call.round; });
        Schedule schedule;
        for (const auto& [hop, v] : hops) {
            const PacketSet packet = PacketSet::range(v, v + 1);
            schedule.add(hop.call.round, {hop.call.from, hop.call.to, hop.route, packet.blocks()});
        }
        return schedule;
    }

  private:
    using Arc = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>::edge_descriptor;
    using Reverse = boost::property<boost::edge_reverse_t, Arc>;
    using Residual = boost::property<boost::edge_residual_capacity_t, long, Reverse>;
    using Capacity = boost::property<boost::edge_capacity_t, long, Residual>;
    using Network = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Capacity>;

    /// The arcs of one round.
    struct RoundArcs {
        std::vector<std::pair<NodeId, Arc>> sends;
        std::vector<std::pair<NodeId, Arc>> receives;
        std::vector<Arc> links;  ///< as in links_
    };

    /// Vertices of a node after so many rounds: what it holds, will send or hand on in the next round, and got in the last one.
    [[nodiscard]] std::size_t held(NodeId v, Round after) const { return 3 * (after * wires_.nodes() + v); }
    [[nodiscard]] std::size_t going(NodeId v, Round after) const { return held(v, after) + 1; }
    [[nodiscard]] std::size_t coming(NodeId v, Round after) const { return held(v, after) + 2; }
    [[nodiscard]] std::size_t end() const { return held(0, rounds_ + 1); }

    /// The messages of a round. Two packets that cross a link in opposite directions are exchanged, so that the schedule is
    /// valid on half duplex links, too.
    [[nodiscard]] std::vector<planning::RoutedCall> calls_of(Round round) const {
        const auto residual = boost::get(boost::edge_residual_capacity, network_);
        const auto capacity = boost::get(boost::edge_capacity, network_);
        const auto flow = [&](const Arc& arc) { return static_cast<std::uint32_t>(capacity[arc] - residual[arc]); };
        const RoundArcs& arcs = of_round_[round - 1];
        planning::LinkFlows::Numbers on_links;
        planning::LinkFlows::Numbers sends(graph_.nodes(), 0);
        planning::LinkFlows::Numbers receives(graph_.nodes(), 0);
        for (const Arc& arc : arcs.links) on_links.push_back(flow(arc));
        for (const auto& [v, arc] : arcs.sends) sends[v] = flow(arc);
        for (const auto& [v, arc] : arcs.receives) receives[v] = flow(arc);
        return links_.calls(std::move(on_links), sends, std::move(receives), round);
    }

    Arc add(std::size_t from, std::size_t to, std::uint64_t capacity) {
        const Arc arc = boost::add_edge(from, to, network_).first;
        const Arc back = boost::add_edge(to, from, network_).first;
        const auto reverse = boost::get(boost::edge_reverse, network_);
        boost::put(boost::edge_capacity, network_, arc, static_cast<long>(capacity));
        reverse[arc] = back;
        reverse[back] = arc;
        return arc;
    }
    /// The links, the switches, and the hosts that wormhole messages pass.
    void add_round(const Machine& machine, Round after) {
        const Fabric* fabric = graph_.fabric();
        for (const planning::LinkFlows::Link& link : links_.links()) {
            const std::uint64_t capacity = fabric == nullptr ? 1 : fabric->capacity(link.from, link.port);
            const bool leads_back = link.to == root_;  // which holds all from the start
            of_round_[after].links.push_back(
                add(going(link.from, after), coming(link.to, after + 1), leads_back ? 0 : capacity));
        }
        if (fabric == nullptr) return;
        const bool passes_hosts = machine.switching == Switching::wormhole;
        for (NodeId v = passes_hosts ? 0 : graph_.nodes(); v < wires_.nodes(); ++v)
            if (v != root_)
                add(coming(v, after + 1), going(v, after), v < graph_.nodes() ? graph_.nodes() : machine.switch_limit);
    }

    const Topology& graph_;
    const Topology& wires_;
    planning::LinkFlows links_;
    NodeId root_;
    Round rounds_;
    Network network_;
    std::vector<RoundArcs> of_round_;
};

/// Plans the fewest rounds: the first number of rounds through which all packets flow.
Schedule planned_flow(const Machine& machine, NodeId root) {
    for (Round rounds = rounds_at_least(machine, root);; ++rounds)
        if (RoundsOfFlow network(machine, root, rounds); network.suffices()) return network.schedule();
}

/// Returns the arcs of the network with the fewest rounds that may suffice.
double arcs_of(const Machine& machine, NodeId root) {
    const Topology& graph = *machine.topology;
    return static_cast<double>(rounds_at_least(machine, root)) *
           static_cast<double>(graph.wires().channels() + 3 * graph.wires().nodes());
}

constexpr double planned_arcs_max = 1 << 20;  // planned in a second or two

PlanSize plan_of_scatter_flow(const Machine& machine, const Collective& collective) {
    constexpr double bytes_arc = 250;
    const auto links = static_cast<double>(machine.topology->sum_of_distances(collective.root));
    return {links, links, arcs_of(machine, collective.root) * bytes_arc};
}

std::optional<std::string> misfit_scatter_flow(const Machine& machine, const Collective& collective,
                                               const AlgorithmOptions& options) {
    constexpr NodeId looked_at_max = NodeId{1} << 16;
    if (auto why = first_of({unless(collective.packets_each == 1, "needs packets_each 1"), needs_no_combining(machine),
                             needs_full_duplex(machine), needs_partners(machine), takes_no_options(options)}))
        return why;
    const bool fits =
        machine.topology->nodes() <= looked_at_max && arcs_of(machine, collective.root) <= planned_arcs_max;
    return planned_where(fits, "rounds times channels and 3 N are at most 2^20");
}

Start make_scatter_flow(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    Collective scatter = collective;
    scatter.operation = Operation::scatter;
    return following(planned_flow(machine, collective.root), machine, scatter, Routes::of_schedule);
}

ExpectedCost expect_scatter_flow(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    constexpr double expected_arcs_max = 1 << 14;
    ExpectedCost cost;
    if (arcs_of(machine, collective.root) <= expected_arcs_max) {
        const Round rounds = planned_flow(machine, collective.root).rounds();
        cost.rounds = cost.path_sum = cost.volume = rounds;
        cost.derivation.push_back(fmt::format("all packets get through in {0}, and not in {1}: {0}, volume {2}",
                                              counted(rounds, "round"), rounds == 0 ? 0 : rounds - 1,
                                              counted(rounds, "packet")));
    }
    cost.derivation.emplace_back("the least number of rounds through which N - 1 packets flow is the exact minimum");
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_flow() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "flow",
            .rule = "single packets along a maximum flow through links and rounds, planned once",
            .needs = "any small graph, SF or WH, any k, full duplex, not pairwise, noncombining, M = 1",
            .cost = "the fewest rounds that single packets can take, one link a message; work and volume as planned",
            .source = "model section 5.5",
            .misfit = misfit_scatter_flow,
            .make = make_scatter_flow,
            .expect = expect_scatter_flow,
            .plan = plan_of_scatter_flow,
            .single_links = true,
            .single_packets = true,
            .port_use = PortUse::each,
        },
        Operation::gather);
}

}  // namespace kport
