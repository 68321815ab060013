/// @file pipeline.cpp   Store-and-forward scatter of single packets in a pipeline (model.md section 5.5).
#include <algorithm>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Returns the nodes that the root reaches by each of its ports along the topology's routes, the nearest first. These
/// routes form a shortest-path tree.
std::vector<std::vector<std::uint32_t>> subtrees(const Topology& topology, NodeId root) {
    std::vector<std::vector<std::uint32_t>> levels(topology.eccentricity(root) + 1);
    for (NodeId v = 0; v < topology.nodes(); ++v)
        levels[topology.distance(root, v)].push_back(static_cast<std::uint32_t>(v));
    std::vector<std::vector<std::uint32_t>> by_port(topology.ports());
    for (std::size_t distance = 1; distance < levels.size(); ++distance)
        for (const std::uint32_t v : levels[distance]) by_port[topology.route(root, v)].push_back(v);
    return by_port;
}

std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& nodes, std::uint64_t times) {
    std::vector<std::uint32_t> all;
    all.reserve(nodes.size() * times);
    for (const std::uint32_t v : nodes) all.insert(all.end(), times, v);
    return all;
}

/// Returns the order in which the root sends `each` messages to every node: in every round into the k subtrees with
/// most packets left, in each for the farthest node.
std::vector<std::uint32_t> order_of_packets(const Machine& machine, NodeId root, std::uint64_t each) {
    if (machine.widest() <= 1 && each > 1) return repeated(order_of_packets(machine, root, 1), each);
    std::vector<std::vector<std::uint32_t>> left = subtrees(*machine.topology, root);
    if (each > 1)
        for (std::vector<std::uint32_t>& nodes : left) nodes = repeated(nodes, each);
    std::priority_queue<std::pair<std::size_t, Port>> fullest;
    for (Port port = 0; port < left.size(); ++port)
        if (!left[port].empty()) fullest.emplace(left[port].size(), port);
    std::vector<std::uint32_t> order;
    std::vector<Port> round;
    while (!fullest.empty()) {
        for (; round.size() < machine.widest() && !fullest.empty(); fullest.pop())
            round.push_back(fullest.top().second);
        for (const Port port : round) {
            order.push_back(left[port].back());
            left[port].pop_back();
            if (!left[port].empty()) fullest.emplace(left[port].size(), port);
        }
        round.clear();
    }
    return order;
}

/// One-to-all scatter of single packets down a shortest-path tree.
///
/// Machine   any graph, store-and-forward or wormhole, any k, full duplex ports. Combining or not
/// Gives     every node holds its own packet
/// Costs     rounds max(ceil((N - 1) / k), nodes in the largest subtree of the root), work sum of the distances; 1-port:
///           N - 1, the minimum on every graph
/// Idea      The root sends the packets for the farthest nodes first, and every node passes a packet on in the next round.
///           No two packets compete, since a level of a subtree receives one packet a round. A packet for a node d links
///           away is followed by at least d - 1 others into its subtree, so it arrives before the last of them is sent; a
///           node's own packet comes last.
/// Source    model.md section 5.5; k ports: longest subtree first, derived for kport
/// `coming`: where trunks bring several packets in a round, so that a node's own may not be the last, the packets that come to each
/// node; else empty.
Program scatter_in_pipeline(Node& self, const std::vector<std::uint32_t>& order, const Parcels& parcels, NodeId root,
                            const std::vector<std::uint64_t>& coming) {
    if (self.id() == root) {
        std::vector<std::uint32_t> sent(self.nodes());
        for (const NodeId v : order) co_await self.pass(self.topology().route(root, v), parcels.message(v, sent[v]++));
        co_return;
    }
    const std::uint64_t awaited = coming.empty() ? parcels.messages() : coming[self.id()];
    for (std::uint64_t seen = 0; seen < awaited;) {
        const Arrival arrival = co_await self.receive();
        const PacketSet packets = arrival.packets();
        const NodeId v = packets.blocks().front().first;
        if (v == self.id() || !coming.empty()) ++seen;
        if (v != self.id()) co_await self.pass(self.topology().route(self.id(), v), packets);
    }
}

/// Packets that leave the root, each with the round in which it does.
struct Departure {
    Round round;
    std::uint32_t target;
};

/// Returns when packets leave where counts differ: with one port those for the farthest nodes first, whatever their subtree; with k
/// ports each round into the k subtrees that are busy longest, in each for the farthest node.
///
/// Proof   One port: packet i, for a node d_i links away, is at depth j after round i + j - 1, so no two meet in a round, and the last
///         ends after max(i + d_i - 1) = max over d of d - 1 + C_d, C_d packets for d links or more. The bound on volume says no less.
std::vector<Departure> departures_of_counts(const Machine& machine, const Collective& collective) {
    const Topology& topology = *machine.topology;
    const Counts& counts = *collective.counts;
    const auto distance = [&](std::uint32_t v) { return topology.distance(collective.root, v); };
    std::vector<Departure> departures;
    if (machine.widest() <= 1) {
        std::vector<std::uint32_t> nodes;
        for (NodeId v = 0; v < topology.nodes(); ++v)
            if (v != collective.root) nodes.insert(nodes.end(), counts.of(v), static_cast<std::uint32_t>(v));
        std::ranges::stable_sort(nodes, std::ranges::greater(), distance);
        for (const std::uint32_t v : nodes) departures.push_back({static_cast<Round>(departures.size() + 1), v});
        return departures;
    }
    struct Subtree {
        std::vector<std::uint32_t> left;   // by distance
        std::vector<std::uint64_t> until;  // the rounds that the first i of them take
    };
    std::vector<Subtree> subtrees_left;
    std::priority_queue<std::pair<std::uint64_t, std::size_t>> busiest;
    for (const std::vector<std::uint32_t>& nodes : subtrees(topology, collective.root)) {
        Subtree subtree{{}, {0}};
        for (const std::uint32_t v : nodes)
            for (std::uint32_t j = 0; j < counts.of(v); ++j) {
                subtree.left.push_back(v);
                subtree.until.push_back(std::max<std::uint64_t>(distance(v), subtree.until.back() + 1));
            }
        if (subtree.left.empty()) continue;
        busiest.emplace(subtree.until.back(), subtrees_left.size());
        subtrees_left.push_back(std::move(subtree));
    }
    std::vector<std::size_t> chosen;
    for (Round round = 1; !busiest.empty(); ++round, chosen.clear()) {
        for (; chosen.size() < machine.widest() && !busiest.empty(); busiest.pop())
            chosen.push_back(busiest.top().second);
        for (const std::size_t i : chosen) {
            Subtree& subtree = subtrees_left[i];
            departures.push_back({round, subtree.left.back()});
            subtree.left.pop_back();
            subtree.until.pop_back();
            if (!subtree.left.empty()) busiest.emplace(subtree.until.back(), i);
        }
    }
    return departures;
}

Schedule pipeline_of_counts(const Machine& machine, const Collective& collective) {
    struct Step {
        Round round;
        std::uint32_t from;
        Port port;
        PacketBlock packet;
    };
    const Topology& topology = *machine.topology;
    std::vector<Step> steps;
    std::vector<std::uint32_t> sent(topology.nodes());
    for (const Departure& departure : departures_of_counts(machine, collective)) {
        const PacketBlock packet{departure.target, 1, 1, sent[departure.target]++};
        NodeId at = collective.root;
        for (Round round = departure.round; at != departure.target; ++round) {
            const Port port = topology.route(at, departure.target);
            steps.push_back({round, static_cast<std::uint32_t>(at), port, packet});
            at = topology.across(at, port).node;
        }
    }
    std::ranges::stable_sort(steps, {}, &Step::round);
    Schedule plan;
    for (const Step& step : steps)
        plan.add(step.round,
                 {step.from, topology.across(step.from, step.port).node, {&step.port, 1}, {&step.packet, 1}});
    return plan;
}

/// Returns how many links the packets cross: each goes a shortest way.
double hops_of_counts(const Topology& topology, const Collective& collective) {
    double hops = 0;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        if (const std::uint32_t count = collective.counts->of(v); count > 0)
            hops += static_cast<double>(count) * static_cast<double>(topology.distance(collective.root, v));
    return hops;
}

bool is_listed(const Machine& machine, const Collective& collective) {
    constexpr double messages_max = 1 << 24;
    return collective.counts == nullptr || hops_of_counts(*machine.topology, collective) <= messages_max;
}

std::optional<std::string> misfit_scatter_pipeline(const Machine& machine, const Collective& collective,
                                                   const AlgorithmOptions& options) {
    return first_of(
        {needs_full_duplex(machine), needs_partners(machine), needs_table(machine), takes_no_options(options),
         planned_where(is_listed(machine, collective), "at most 2^24 messages of different counts are listed")});
}

/// Returns how many packets come to each node, its own and those that it passes on.
std::vector<std::uint64_t> packets_coming(const Topology& topology, NodeId root, std::uint64_t each) {
    std::vector<std::uint64_t> coming(topology.nodes());
    for (NodeId v = 0; v < topology.nodes(); ++v)
        for (NodeId at = root; at != v;) {
            at = topology.across(at, topology.route(at, v)).node;
            coming[at] += each;
        }
    return coming;
}

Start make_scatter_pipeline(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr) return following(pipeline_of_counts(machine, collective), machine, collective);
    const NodeId root = collective.root;
    const Parcels parcels(machine, collective);
    const auto order =
        std::make_shared<std::vector<std::uint32_t>>(order_of_packets(machine, root, parcels.messages()));
    const auto coming = std::make_shared<std::vector<std::uint64_t>>();
    if (machine.topology->fabric() != nullptr) *coming = packets_coming(*machine.topology, root, parcels.messages());
    return {[=](Node& self) { return scatter_in_pipeline(self, *order, parcels, root, *coming); }, {root}};
}

/// Returns the size of the root's largest subtree.
std::uint64_t largest_subtree(const Topology& topology, NodeId root) {
    std::vector<std::uint64_t> size(topology.ports());
    for (NodeId v = 0; v < topology.nodes(); ++v)
        if (v != root) ++size[topology.route(root, v)];
    return size.empty() ? 0 : *std::ranges::max_element(size);
}

ExpectedCost expect_pipeline_of_counts(const Machine& machine, const Collective& collective) {
    const Topology& topology = *machine.topology;
    std::uint64_t rounds = 0;
    const std::vector<Departure> departures = departures_of_counts(machine, collective);
    for (const Departure& each : departures)
        rounds = std::max<std::uint64_t>(rounds, each.round + topology.distance(collective.root, each.target) - 1);
    const auto hops = static_cast<std::uint64_t>(hops_of_counts(topology, collective));
    return {rounds,
            hops,
            rounds,
            rounds,
            {fmt::format("the root sends {} one behind the other, the farthest first, and the last to arrive does in "
                         "round {}",
                         counted(departures.size(), "packet"), rounds),
             fmt::format("every message is one packet: volume {}, as many as rounds", counted(rounds, "packet")),
             fmt::format("each goes a shortest way: the distances add up to {}", counted(hops, "hop"))}};
}

ExpectedCost expect_scatter_pipeline(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr) return expect_pipeline_of_counts(machine, collective);
    const Topology& topology = *machine.topology;
    const std::uint64_t others = collective.packets_each * (topology.nodes() - 1);
    const std::uint64_t k = machine.widest();
    const std::uint64_t emitted = others == 0 ? 0 : (others + k - 1) / k;
    const std::uint64_t largest =
        k <= 1 ? others : collective.packets_each * largest_subtree(topology, collective.root);
    const std::uint64_t rounds = std::max(emitted, largest);
    const std::uint64_t hops = collective.packets_each * topology.sum_of_distances(collective.root);
    ExpectedCost cost{rounds, hops, rounds, rounds, {}};
    cost.derivation.push_back(
        k <= 1 ? fmt::format("the root sends {}, one a round: {}", counted(others, "packet"), counted(rounds, "round"))
               : fmt::format("the root sends {}, at most {} a round, {} of them into its largest subtree, one a round: "
                             "max({}, {}) = {}",
                             counted(others, "packet"), k, largest, emitted, largest, counted(rounds, "round")));
    cost.derivation.push_back(
        fmt::format("every message is one packet: volume {}, as many as rounds", counted(rounds, "packet")));
    cost.derivation.push_back(
        fmt::format("each goes a shortest way: the distances add up to {}", counted(hops, "hop")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_pipeline() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "pipeline",
            .rule = "single packets one behind the other down a shortest-path tree, the farthest node's first",
            .needs = "any graph, SF or WH, any k, full duplex, not pairwise",
            .cost = "the larger of ceil((N-1)/k) and the nodes in the source's largest subtree, N-1 with one port; "
                    "without combining M times the packets; work the sum of the distances",
            .source = "model section 5.5",
            .misfit = misfit_scatter_pipeline,
            .make = make_scatter_pipeline,
            .expect = expect_scatter_pipeline,
            .table_bytes_per_node = 16,
            .with_many = WithMany::in_turn,
            .knows_counts = [](const Machine&) { return true; },
            .single_links = true,
            .single_packets = true,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
