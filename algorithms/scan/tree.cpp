/// @file tree.cpp   Prefix sums in the order of a tree's preorder, on any graph (model.md section 6).
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/node_values.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/renumbered.hpp"

namespace kport {

namespace {

/// The shortest-path tree, its preorder with children in ascending order, and the round in which a broadcast that
/// serves the slowest subtree first reaches each node. Nodes are named by their numbers in the preorder.
class PreorderTree {
  public:
    PreorderTree(const Machine& machine, NodeId root)
        : tree_(*machine.topology, root), preorder_(tree_, machine.topology->nodes()) {
        const Port ports = std::max<Port>(1, machine.widest());
        rounds_ = tree_.order_farthest_first(ports);
        told_ = tree_.told_in(ports);
    }

    /// Returns the children in the order in which they are served.
    [[nodiscard]] std::vector<NodeId> children(NodeId rank) const {
        std::vector<NodeId> ranks;
        for (const NodeId child : tree_.children(preorder_.node(rank))) ranks.push_back(preorder_.number(child));
        return ranks;
    }
    [[nodiscard]] NodeId parent(NodeId rank) const { return preorder_.number(tree_.parent(preorder_.node(rank))); }
    /// The round in the reversed broadcast.
    [[nodiscard]] Round sends_in(NodeId rank) const {
        return static_cast<Round>(rounds_ + 1 - told_[preorder_.node(rank)]);
    }
    [[nodiscard]] std::vector<std::uint32_t> nodes() const {
        std::vector<std::uint32_t> nodes(told_.size());
        for (std::size_t rank = 0; rank < nodes.size(); ++rank)
            nodes[rank] = static_cast<std::uint32_t>(preorder_.node(rank));
        return nodes;
    }

    static constexpr std::uint64_t bytes_per_node = SpanningTree::bytes_per_node + Preorder::bytes_per_node + 16;

  private:
    SpanningTree tree_;
    Preorder preorder_;
    std::uint64_t rounds_ = 0;
    std::vector<std::uint32_t> told_;
};

/// Prefix sums in preorder: the v-th node gets the combination of the contributions of the first to the v-th.
///
/// Machine   any graph, store-and-forward or wormhole, any k
/// Gives     the v-th node of the preorder holds the contributions of the first v, folded in this order
/// Costs     rounds 2 b, volume as many packets; work 2 (N - 1)
/// Idea      Up: each node sends its parent the sum of its subtree, as in a reversed broadcast, and keeps those of its
///           children. Down: a child gets the prefix before its subtree: that before its parent, the parent's own
///           contribution, and the sums of the children before it.
/// Source    model.md section 6
Program prefix_sums_along_tree(Node& self, const PreorderTree& tree) {
    const bool is_root = self.id() == 0;
    const std::vector<NodeId> served = tree.children(self.id());
    std::vector<std::size_t> ascending(served.size());
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    std::ranges::sort(ascending, {}, [&](std::size_t i) { return served[i]; });

    std::vector<Value> sums(served.size());
    for (std::size_t i = served.size(); i-- > 0;) {
        const Arrival arrival = co_await self.receive_from(served[i]);
        sums[i] = arrival.value();
    }
    PrefixSum prefix(self);
    if (!is_root) {
        Value sum = prefix.with_own();
        for (const std::size_t i : ascending) sum = self.fold(sum, sums[i]);
        co_await self.until(tree.sends_in(self.id()));
        co_await self.send_to(tree.parent(self.id()), sum);
        const Arrival arrival = co_await self.receive_from(tree.parent(self.id()));
        prefix.put_in_front(arrival.value());
    }
    prefix.give();

    std::vector<Value> before(served.size());
    Value carry = prefix.with_own();
    for (const std::size_t i : ascending) {
        before[i] = carry;
        if (i != ascending.back()) carry = self.fold(carry, sums[i]);
    }
    for (std::size_t i = 0; i < served.size(); ++i) co_await self.send_to(served[i], before[i]);
}

/// Whether the preorder of the tree from node 0 is 0, 1, 2, ...: the parent of every node is the node before it or an
/// ancestor of that.
bool is_numbered_in_preorder(const Topology& topology) {
    std::vector<NodeId> above{0};
    for (NodeId v = 1; v < topology.nodes(); ++v) {
        const NodeId parent = nearer_neighbour(topology, 0, v);
        while (!above.empty() && above.back() != parent) above.pop_back();
        if (above.empty()) return false;
        above.push_back(v);
    }
    return true;
}

std::optional<std::string> misfit_scan_tree(const Machine& machine, const Collective& collective,
                                            const AlgorithmOptions& options) {
    constexpr NodeId looked_at_max = NodeId{1} << 20;
    if (auto why = first_of({needs_table(machine), takes_no_options(options, "preorder")})) return why;
    const Topology& topology = *machine.topology;
    const bool fits = options.preorder ||
                      (collective.root == 0 && topology.nodes() <= looked_at_max && is_numbered_in_preorder(topology));
    return unless(fits, "needs nodes numbered in the preorder of the tree, or preorder");
}

Start make_scan_tree(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    const auto tree = std::make_shared<const PreorderTree>(machine, collective.root);
    Start start{.program = [tree](Node& self) { return prefix_sums_along_tree(self, *tree); }, .all_start = true};
    if (options.preorder) start.renumbered = std::make_shared<const Renumbered>(machine.topology, tree->nodes());
    return start;
}

ExpectedCost expect_scan_tree(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t b =
        SpanningTree(*machine.topology, collective.root).order_farthest_first(std::max<Port>(1, machine.widest()));
    return {2 * b,
            2 * (nodes - 1),
            2 * b,
            2 * b,
            {fmt::format("sums go up in the {} of a broadcast, what stands before goes down in as many: {}",
                         counted(b, "round"), counted(2 * b, "round")),
             fmt::format("over each of the tree's links one message either way: work 2 * {} = {}", nodes - 1,
                         2 * (nodes - 1)),
             fmt::format("a partial sum has the size of one packet whatever it sums up: volume {}",
                         counted(2 * b, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scan_tree() {
    return with_exclusive({
        .operation = Operation::scan,
        .name = "tree",
        .rule = "up the shortest-path tree the sums of subtrees, down what stands before each; in the order of its "
                "preorder",
        .needs = "any graph with --order preorder, or numbered in preorder; SF or WH, any k; --source is the root",
        .cost = "2 b(s) rounds, volume as many packets, work 2(N-1)",
        .source = "model section 6",
        .misfit = misfit_scan_tree,
        .make = make_scan_tree,
        .expect = expect_scan_tree,
        .table_bytes_per_node = PreorderTree::bytes_per_node,
        .takes = "preorder",
        .single_links = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
        .through_root = true,
    });
}

}  // namespace kport
