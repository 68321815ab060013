#include "algorithms/support/there_and_back.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/node.hpp"

namespace kport {

Program allgather_there_and_back(Node& self, const ThereAndBack& plan) {
    const TimedTree& tree = plan.tree();
    if (!tree.has(self.id())) co_return;
    const NodeId parent = tree.parent(self.id());
    const auto children = tree.children(self.id());
    PacketSet held;
    if (self.collective().has_member(self.id()))
        held = packets_of(PacketSet::range(self.id(), self.id() + 1), self.collective().packets_each);
    std::vector<PacketSet> below(children.size());  // the packets of each child's subtree
    for (std::size_t i = children.size(); i-- > 0;) {
        if (plan.exchange(children[i])) continue;
        const Arrival arrival = co_await self.receive_from(children[i]);
        below[i] = arrival.packets();
        held.add(below[i]);
    }
    if (self.id() != tree.root()) {
        const std::vector<Port> route = tree.route(self.id(), parent);
        co_await self.until(plan.up(self.id()));
        co_await self.send_along(parent, route, held);
        const Arrival arrival = co_await self.receive_from(parent);
        held.add(arrival.packets());
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
        PacketSet lacking = held;
        lacking.remove(below[i]);
        const std::vector<Port> route = tree.route(self.id(), children[i]);
        co_await self.until(plan.down(children[i]));
        co_await self.send_along(children[i], route, lacking);
        if (!plan.exchange(children[i])) continue;
        const Arrival arrival = co_await self.receive_from(children[i]);
        held.add(arrival.packets());
    }
}

Program allreduce_there_and_back(Node& self, const ThereAndBack& plan) {
    const TimedTree& tree = plan.tree();
    const NodeId me = self.id();
    if (!tree.has(me)) co_return;
    const auto children = tree.children(me);
    const bool is_member = self.collective().has_member(me);
    std::optional<Value> folded;  // of a relay without children that have sent: nothing
    if (is_member) folded = self.contribution();
    for (std::size_t i = children.size(); i-- > 0;) {
        if (plan.exchange(children[i])) continue;
        const Arrival arrival = co_await self.receive_from(children[i]);
        folded = folded ? self.merge(*folded, arrival.value()) : arrival.value();
    }
    Value sum = *folded;  // the root is a member, and so are all leaves
    const bool is_root = me == tree.root();
    const bool meets_root = !is_root && plan.exchange(me);
    const bool met_by_child = is_root && !children.empty() && plan.exchange(children.front());
    if (!is_root || met_by_child) {
        const NodeId other = is_root ? children.front() : tree.parent(me);
        const std::vector<Port> route = tree.route(me, other);
        co_await self.until(is_root ? plan.down(other) : plan.up(me));
        co_await self.send_along(other, route, sum);
        const Arrival arrival = co_await self.receive_from(other);
        sum = meets_root || met_by_child ? self.merge(sum, arrival.value()) : arrival.value();
    }
    const Value total = is_root || meets_root ? self.whole(sum) : sum;
    for (const NodeId child : children) {
        if (plan.exchange(child)) continue;
        const std::vector<Port> route = tree.route(me, child);
        co_await self.until(plan.down(child));
        co_await self.send_along(child, route, total);
    }
    if (is_member) self.result(total);
}

Program barrier_there_and_back(Node& self, const ThereAndBack& plan) {
    const TimedTree& tree = plan.tree();
    if (!tree.has(self.id())) co_return;
    const NodeId parent = tree.parent(self.id());
    const auto children = tree.children(self.id());
    PacketSet entered;
    if (self.collective().has_member(self.id())) entered = PacketSet::range(self.id(), self.id() + 1);
    for (std::size_t i = children.size(); i-- > 0;) {
        if (plan.exchange(children[i])) continue;
        const Arrival signal = co_await self.receive_from(children[i]);
        entered.include(signal.packets());
    }
    if (self.id() != tree.root()) {
        const std::vector<Port> route = tree.route(self.id(), parent);
        co_await self.until(plan.up(self.id()));
        co_await self.send_along(parent, route, entered);
        const Arrival signal = co_await self.receive_from(parent);
        entered.include(signal.packets());
    }
    for (const NodeId child : children) {
        const std::vector<Port> route = tree.route(self.id(), child);
        co_await self.until(plan.down(child));
        co_await self.send_along(child, route, entered);
        if (!plan.exchange(child)) continue;
        const Arrival signal = co_await self.receive_from(child);
        entered.include(signal.packets());
    }
}

ExpectedCost there_and_back_cost(const ThereAndBack& plan, const Machine& machine, const Collective& collective,
                                 CarriedThere carried) {
    struct Largest {
        Hops hops = 0;
        std::uint64_t packets = 0;
        double latency = 0;
    };
    const TimedTree& tree = plan.tree();
    const NodeId nodes = machine.topology->nodes();
    const NodeId owners = collective.member_count(nodes);
    std::vector<Largest> of_round(plan.rounds() + 1);
    const auto put = [&](Round round, Hops hops, std::uint64_t packets) {
        Largest& largest = of_round[round];
        largest.hops = std::max(largest.hops, hops);
        largest.packets = std::max(largest.packets, packets);
        largest.latency = std::max(largest.latency, machine.costs.latency(hops, packets * collective.packet_bytes));
    };
    const auto packets_for = [&](std::uint64_t bundle) {
        return carried == CarriedThere::bundles ? bundle : std::uint64_t{carried == CarriedThere::values};
    };
    std::vector<std::uint32_t> in_order = tree.in_order();
    std::vector<std::uint64_t> size(nodes);  // members in the subtree
    for (NodeId v = 0; v < nodes; ++v) size[v] = collective.has_member(v) ? 1 : 0;
    Hops work = 0;
    for (std::size_t i = in_order.size(); i-- > 1;) {
        const NodeId v = in_order[i];
        size[tree.parent(v)] += size[v];
        const Hops hops = tree.hops(tree.parent(v), v);
        work += 2 * hops;
        put(plan.up(v), hops, packets_for(size[v]));
        put(plan.down(v), hops, packets_for(owners - size[v]));
    }
    Hops path_sum = 0;
    std::uint64_t volume = 0;
    double latency = 0;
    for (const Largest& largest : of_round) {
        path_sum += largest.hops;
        volume += largest.packets;
        latency += largest.latency;
    }
    const Round there = tree.rounds();
    ExpectedCost cost{plan.rounds(), work, path_sum, volume, {}};
    cost.derivation.push_back(fmt::format("to the root in {}, and back in as many", counted(there, "round")));
    if (plan.rounds() < 2 * there)
        cost.derivation.push_back(
            fmt::format("the middle two join the root and its first child, and are one exchange: 2 * {} - 1 = {}",
                        there, counted(plan.rounds(), "round")));
    cost.derivation.push_back(
        fmt::format("each tree path carries a message up and one down: work {}; the longest of each round: path sum {}",
                    work, path_sum));
    if (carried == CarriedThere::bundles)
        cost.derivation.push_back(
            fmt::format("up go the packets of a subtree, down all others; the largest bundles of the rounds: volume {}",
                        counted(volume, "packet")));
    if (carried == CarriedThere::values)
        cost.derivation.push_back(fmt::format("each message is one value: volume {}", counted(volume, "packet")));
    cost.latency = latency;
    return cost;
}

std::optional<std::string> misfit_tree_exchange(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of({needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_euler_rda(const Machine& machine, const Collective& collective,
                                            const AlgorithmOptions& options) {
    return first_of({needs_wh(machine), needs_full_links(machine), misfit_tree_exchange(machine, collective, options)});
}

}  // namespace kport
