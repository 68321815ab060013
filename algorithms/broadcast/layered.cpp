/// @file layered.cpp   Broadcasts, and promises like them, by matchings, computed in every round (after Harutyunyan, Shao 2006).
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/bounds/promised.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/planning/heuristics.hpp"
#include "algorithms/planning/round_flow.hpp"
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

/// What some nodes have before the first round, and others are to get.
struct Sources {
    std::vector<planning::Node32> sources;
    PacketSet packets;
    std::uint64_t bytes = 0;
};

Sources sent_in(const Collective& broadcast, NodeId nodes) {
    return {{static_cast<planning::Node32>(broadcast.root)},
            broadcast.owned(broadcast.root, nodes),
            broadcast.packets(nodes) * broadcast.packet_bytes};
}

/// In each round, neighbours of informed nodes are matched with them, first those whose subtrees need the longest
/// (planning::layered()); where links have prices, over links that are not too dear (planning::plan_by_prices()).
///
/// Returns no calls if it takes more than `looks_max` visits of nodes and channels.
std::vector<planning::RoutedCall> calls_in_layers(const Machine& machine, const Sources& sent, double looks_max) {
    const Topology& topology = *machine.topology;
    const planning::Graph graph(topology);
    const auto looks_a_round = static_cast<double>(topology.nodes() + topology.channels());
    double looks = 0;
    const auto stop = [&] { return (looks += looks_a_round) > looks_max; };
    const planning::Calls calls = planning::plans_by_prices(machine)
                                      ? planning::plan_by_prices(machine, sent.sources, sent.bytes)
                                      : planning::layered(graph, sent.sources, send_limits(machine), stop);
    std::vector<planning::RoutedCall> routed;
    for (const planning::Call& call : calls) routed.push_back({call, {topology.port_to(call.from, call.to)}});
    return routed;
}

Schedule schedule_of(const std::vector<planning::RoutedCall>& calls, const Sources& sent) {
    Schedule schedule;
    for (const planning::RoutedCall& one : calls)
        schedule.add(one.call.round, {one.call.from, one.call.to, one.route, sent.packets.blocks()});
    return schedule;
}

Schedule planned_in_layers(const Machine& machine, const Collective& broadcast, double looks_max) {
    const Sources sent = sent_in(broadcast, machine.topology->nodes());
    return schedule_of(calls_in_layers(machine, sent, looks_max), sent);
}

/// Machines with switches: rounds of maximum flows, with the routes of their messages (planning::plan_by_flows()).
Schedule planned_by_flows(const Machine& machine, const Collective& broadcast) {
    const Sources sent = sent_in(broadcast, machine.topology->nodes());
    return schedule_of(
        planning::plan_by_flows(machine, sent.sources, least_rounds(machine, broadcast), [] { return false; }), sent);
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
        return following(planned_by_flows(machine, broadcast), machine, broadcast, Routes::of_schedule);
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

/// What all owners of a promise own alike and the same nodes lack; nothing where packets differ in this.
std::optional<Sources> sent_by_owners(const Collective& collective, NodeId nodes) {
    Sources sent;
    const std::vector<LackedPacket> lacked = lacked_packets(collective, nodes);
    for (const LackedPacket& of : lacked) {
        if (of.owners != lacked.front().owners || of.takers != lacked.front().takers) return std::nullopt;
        sent.packets.add(block_of({0}, {of.packet}));
        sent.bytes += collective.has_sizes() ? collective.counts->bytes()->of(of.packet) : collective.packet_bytes;
    }
    if (!lacked.empty()) sent.sources.assign(lacked.front().owners.begin(), lacked.front().owners.end());
    return sent;
}

/// Leaves out messages by which no node gets what it lacks or passes on, and rounds without messages.
std::vector<planning::RoutedCall> needed_calls(std::vector<planning::RoutedCall> calls, std::vector<bool> is_needed) {
    for (const planning::RoutedCall& one : calls | std::views::reverse)
        if (is_needed[one.call.to]) is_needed[one.call.from] = true;
    std::erase_if(calls, [&](const planning::RoutedCall& one) { return !is_needed[one.call.to]; });
    Round round = 0;
    Round before = 0;
    for (planning::RoutedCall& one : calls) {
        if (std::exchange(before, one.call.round) != one.call.round) ++round;
        one.call.round = round;
    }
    return calls;
}

/// Promise, planned: as a broadcast from all owners, without the branches in which no node lacks the packets.
class LayersOfPromise {
  public:
    LayersOfPromise(const Machine& machine, const Collective& collective)
        : machine_(machine), collective_(collective), nodes_(machine.topology->nodes()) {
        is_counted_ = nodes_ <= nodes_max && size_of_promise(collective, nodes_, promised_max) <= promised_max;
        if (is_counted_) sent_ = sent_by_owners(collective, nodes_);
    }

    [[nodiscard]] std::optional<std::string> misfit() const {
        if (machine_.topology->fabric() != nullptr)
            return "is planned link by link, and here links lead through switches";
        if (!is_counted_) return planned_where(false, "2^16 nodes own and want at most 2^22 packets");
        if (!sent_) return "needs packets that the same nodes own and the same nodes lack";
        if (sent_->packets.size() > 1)
            if (auto why = needs_combining(machine_)) return why;
        if (sent_->sources.empty()) return std::nullopt;
        if (looks_of(machine_, sent_->sources.front()) > planned_looks_max)
            return planned_where(false, "its rounds times nodes and channels are at most 2^26");
        const std::vector<planning::RoutedCall> planned = calls();
        return unless(
            std::ranges::all_of(
                planned, [&](const planning::RoutedCall& one) { return collective_.may_pass_on(one.call.to, nodes_); }),
            "goes through nodes that pass nothing on");
    }
    [[nodiscard]] Schedule plan() const { return schedule_of(calls(), *sent_); }

  private:
    static constexpr NodeId nodes_max = NodeId{1} << 16;
    static constexpr std::uint64_t promised_max = std::uint64_t{1} << 22;

    [[nodiscard]] std::vector<planning::RoutedCall> calls() const {
        if (sent_->sources.empty()) return {};
        std::vector<bool> is_taker(nodes_);
        for (NodeId v = 0; v < nodes_; ++v)
            is_taker[v] = !without(sent_->packets.blocks(), collective_.owned(v, nodes_)).empty() &&
                          common_size(sent_->packets.blocks(), collective_.wanted(v, nodes_)) != 0;
        return needed_calls(calls_in_layers(machine_, *sent_, std::numeric_limits<double>::infinity()),
                            std::move(is_taker));
    }

    const Machine& machine_;
    const Collective& collective_;
    NodeId nodes_;
    bool is_counted_ = false;
    std::optional<Sources> sent_;
};

std::optional<std::string> misfit_promise_layered(const Machine& machine, const Collective& collective,
                                                  const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    if (auto why = folds_nothing(collective)) return why;
    return LayersOfPromise(machine, collective).misfit();
}

Start make_promise_layered(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(LayersOfPromise(machine, collective).plan(), machine, collective);
}

ExpectedCost expect_promise_layered(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return counted_cost(LayersOfPromise(machine, collective).plan(), machine, collective);
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_layered() {
    std::vector<Algorithm> rows = with_reversal(
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
    rows.push_back({
        .operation = Operation::promise,
        .name = "layered",
        .rule =
            "in each round nodes that have the packets are matched with neighbours, those that need the longest first; "
            "without branches in which no node lacks them; planned once",
        .needs = "packets that the same nodes own and the same nodes lack, several only with combining; any graph of "
                 "moderate size, SF or WH, any k",
        .cost = "measured",
        .source = "after Harutyunyan, Shao 2006; Scheuermann, Wu 1984",
        .misfit = misfit_promise_layered,
        .make = make_promise_layered,
        .expect = expect_promise_layered,
        .plan = plan_of_layered,
        .with_many = WithMany::own,
        .single_links = true,
        .port_use = PortUse::each,
    });
    return rows;
}

}  // namespace kport
