/// @file farthest_first.cpp   Scatter of bundles down the shortest-path tree (model.md section 5.4).
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// A tree with its children in the order in which they are served, and its nodes in the preorder of that order: the
/// nodes below a child are an interval of numbers.
struct ServedTree {
    SpanningTree tree;
    std::uint64_t b;
    Preorder preorder;

    ServedTree(const Machine& machine, NodeId root)
        : tree(*machine.topology, root), b(tree.order_farthest_first(std::max<Port>(1, machine.widest()))),
          preorder(tree, machine.topology->nodes()) {}

    /// Returns the packets for the nodes below each child of v, given `all` packets for the nodes below v. The largest
    /// bundle is the remainder of the others, so that a long path costs no more than its length.
    [[nodiscard]] std::vector<PacketSet> bundles(NodeId v, PacketSet all, std::uint64_t m) const {
        const std::span<const std::uint32_t> children = tree.children(v);
        std::vector<Segment> behind(children.size());
        std::uint64_t end = preorder.number(v) + all.size() / m + 1;
        for (std::size_t i = children.size(); i-- > 0; end = behind[i].first)
            behind[i] = {preorder.number(children[i]), end};
        const auto largest = std::ranges::max_element(behind, {}, &Segment::size) - behind.begin();
        std::vector<PacketSet> bundles(children.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (std::cmp_equal(i, largest)) continue;
            bundles[i] = packets_of(preorder.packets_for(behind[i]), m);
            all.remove(bundles[i]);
        }
        if (!children.empty()) bundles[static_cast<std::size_t>(largest)] = std::move(all);
        return bundles;
    }
};

/// One-to-all scatter down the shortest-path tree.
///
/// Machine   any graph, store-and-forward or wormhole, any k, combining
/// Gives     every node holds its own packet
/// Costs     rounds b(s) as the broadcast of the name: the minimum on trees; work N - 1
/// Idea      To each child go the packets for all nodes behind it, to the child that needs the longest first.
/// Source    model.md section 5.4; Slater, Cockayne, Hedetniemi, SIAM J. Comput. 10 (1981)
Program scatter_farthest_first(Node& self, const ServedTree& served) {
    const NodeId root = served.tree.source();
    const std::uint64_t m = self.collective().packets_each;
    PacketSet behind = packets_of(PacketSet::range(0, self.nodes()), m);
    if (self.id() != root) {
        const Arrival arrival = co_await self.receive();
        behind = arrival.packets();
    }
    behind.remove(packets_of(PacketSet::range(self.id(), self.id() + 1), m));
    const std::vector<PacketSet> bundles = served.bundles(self.id(), std::move(behind), m);
    const std::span<const std::uint32_t> children = served.tree.children(self.id());
    for (std::size_t i = 0; i < children.size(); ++i) co_await self.pass_to(children[i], bundles[i]);
}

/// The tree without subtrees for which there is no packet; children in the order of what is left.
class CountedTree {
  public:
    CountedTree(const Machine& machine, const Collective& collective)
        : machine_(machine), collective_(collective), tree_(*machine.topology, collective.root) {
        tree_.keep_ways_to([&](NodeId v) { return collective.counts->of(v) > 0; });
        (void)tree_.order_farthest_first(ports());
    }

    [[nodiscard]] Schedule schedule() const {
        const std::vector<std::uint32_t> told = tree_.told_in(ports());
        const std::vector<std::uint32_t> sizes = tree_.sizes();
        const Preorder preorder(tree_, machine_.topology->nodes());
        std::vector<std::uint32_t> receivers(tree_.nodes().begin() + 1, tree_.nodes().end());
        std::ranges::stable_sort(receivers, {}, [&](std::uint32_t v) { return told[v]; });
        Schedule plan;
        for (const std::uint32_t v : receivers) {
            const Segment behind{preorder.number(v), preorder.number(v) + sizes[v]};
            const PacketSet packets =
                collective_.existing(packets_of(preorder.packets_for(behind), collective_.packets_each));
            const Port port = machine_.topology->port_to(tree_.parent(v), v);
            plan.add(told[v], {tree_.parent(v), v, {&port, 1}, packets.blocks()});
        }
        return plan;
    }
    /// Returns how many nodes all messages together are for.
    [[nodiscard]] std::uint64_t nodes_in_messages() const {
        const std::vector<std::uint32_t> sizes = tree_.sizes();
        std::uint64_t all = 0;
        for (const std::uint32_t v : tree_.nodes().subspan(1)) all += sizes[v];
        return all;
    }

  private:
    [[nodiscard]] Port ports() const { return std::max<Port>(1, machine_.widest()); }

    const Machine& machine_;
    const Collective& collective_;
    SpanningTree tree_;
};

std::optional<std::string> misfit_scatter_farthest_first(const Machine& machine, const Collective& collective,
                                                         const AlgorithmOptions& options) {
    constexpr std::uint64_t nodes_max = 1 << 26;
    if (auto why = first_of({needs_combining(machine), needs_table(machine), takes_no_options(options)})) return why;
    if (collective.counts == nullptr) return std::nullopt;
    return planned_where(CountedTree(machine, collective).nodes_in_messages() <= nodes_max,
                         "messages of different counts are for at most 2^26 nodes together");
}

Start make_scatter_farthest_first(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr)
        return following(CountedTree(machine, collective).schedule(), machine, collective);
    const auto served = std::make_shared<ServedTree>(machine, collective.root);
    return {[served](Node& self) { return scatter_farthest_first(self, *served); }, {collective.root}};
}

ExpectedCost expect_scatter_farthest_first(const Machine& machine, const Collective& collective,
                                           const AlgorithmOptions&) {
    if (collective.counts != nullptr)
        return counted_cost(CountedTree(machine, collective).schedule(), machine, collective);
    const Port ports = std::max<Port>(1, machine.widest());
    SpanningTree tree(*machine.topology, collective.root);
    const std::uint64_t b = tree.order_farthest_first(ports);
    const std::vector<std::uint32_t> told = tree.told_in(ports);
    const std::vector<std::uint32_t> sizes = tree.sizes();
    std::vector<std::uint32_t> largest(b + 1);  // largest bundle of each round
    for (NodeId v = 0; v < told.size(); ++v)
        if (v != collective.root) largest[told[v]] = std::max(largest[told[v]], sizes[v]);
    const std::uint64_t volume = std::accumulate(largest.begin(), largest.end(), std::uint64_t{0});
    const NodeId nodes = machine.topology->nodes();
    return {b,
            nodes - 1,
            b,
            volume,
            {fmt::format("a bundle is one message, as the packet of a broadcast: farthest-first needs b = {}",
                         counted(b, "round")),
             fmt::format("the bundle for a subtree has as many packets as nodes; the largest of each round add up to a "
                         "volume of {}",
                         counted(volume, "packet")),
             fmt::format("every node but the source receives once, over one link: work {}", nodes - 1)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_farthest_first() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "farthest-first",
            .rule = "down the shortest-path tree in bundles, to the child whose subtree needs the longest first",
            .needs = "any graph, SF or WH, any k, combining",
            .cost = "b(s) rounds, the minimum on this tree; the exact minimum if the graph is a tree; work N-1",
            .source = "Slater, Cockayne, Hedetniemi 1981; model section 5.4",
            .misfit = misfit_scatter_farthest_first,
            .make = make_scatter_farthest_first,
            .expect = expect_scatter_farthest_first,
            .table_bytes_per_node = SpanningTree::bytes_per_node + Preorder::bytes_per_node,
            .knows_counts = [](const Machine&) { return true; },
            .knows_relays = true,
            .single_links = true,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
