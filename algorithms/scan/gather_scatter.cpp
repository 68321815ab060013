/// @file gather_scatter.cpp   Prefix sums in the order of the nodes, on any graph (model.md section 6).
#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/node_values.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The shortest-path tree with children in the order in which a broadcast serves them, and its rounds.
struct GatherTree {
    SpanningTree tree;
    std::uint64_t b;
    std::vector<std::uint32_t> told;

    GatherTree(const Machine& machine, NodeId root)
        : tree(*machine.topology, root), b(tree.order_farthest_first(std::max<Port>(1, machine.widest()))),
          told(tree.told_in(std::max<Port>(1, machine.widest()))) {}

    /// The round in the reversed broadcast.
    [[nodiscard]] Round sends_in(NodeId v) const { return static_cast<Round>(b + 1 - told[v]); }

    static constexpr std::uint64_t bytes_per_node = SpanningTree::bytes_per_node + 4;
};

/// What a node knows: partial results of runs of consecutive nodes, each with its sender.
class Known {
  public:
    static constexpr std::size_t myself = ~std::size_t{0};
    static constexpr std::size_t parent = myself - 1;

    explicit Known(Node& self) : self_(self) { add(self.contribution(), myself); }

    void add(const Value& value, std::size_t from) {
        for (Value& run : self_.runs(value)) {
            const PacketSet nodes = run.contributions();
            // Contributions combined twice, by a fault, would double at every node.
            if (!nodes.is_block() || common_size(nodes.blocks(), known_) != 0) continue;
            known_.add(nodes);
            runs_.push_back({nodes.block().columns(), from, std::move(run)});
        }
    }
    void sort() {
        std::ranges::sort(runs_, {}, [](const Run& run) { return run.nodes.first; });
    }
    /// After sorting: whether they are those of nodes 0, 1, ... without a gap; true at the latest when the parent has
    /// sent.
    [[nodiscard]] bool has_no_gap() const {
        std::uint64_t next = 0;
        for (const Run& run : runs_)
            if (std::exchange(next, std::uint64_t{run.nodes.last()} + 1) != run.nodes.first) return false;
        return true;
    }

    /// After sorting: returns all as one value, with adjacent runs merged.
    [[nodiscard]] Value all() const { return folded(values()); }

    /// When no more values come and there is no gap: computes sums of 2, 4, 8, ... runs, from which those of others
    /// follow.
    void make_sums() {
        sums_.push_back(values());
        while (sums_.back().size() > 1) {
            const std::vector<Value>& halves = sums_.back();
            std::vector<Value> row;
            for (std::size_t i = 1; i < halves.size(); i += 2) row.push_back(self_.fold(halves[i - 1], halves[i]));
            sums_.push_back(std::move(row));
        }
        by_sender_.resize(runs_.size());
        std::iota(by_sender_.begin(), by_sender_.end(), std::size_t{0});
        std::ranges::stable_sort(by_sender_, {}, [&](std::size_t i) { return runs_[i].from; });
    }
    /// After make_sums(): returns the node's result; nothing for node 0 of an exclusive scan.
    [[nodiscard]] std::optional<Value> prefix() const {
        const auto own = static_cast<std::size_t>(std::ranges::find(runs_, myself, &Run::from) - runs_.begin());
        const std::size_t end = self_.collective().is_exclusive() ? own : own + 1;
        return end == 0 ? std::nullopt : std::optional(sum(0, end));
    }
    /// After make_sums(): returns what a child lacks of the nodes before the last of its subtree; nothing if it lacks
    /// none.
    [[nodiscard]] std::optional<Value> lacking(std::size_t child) const {
        std::vector<Value> gaps;
        std::size_t behind = 0;  // the child's last run
        const auto sender = [&](std::size_t i) { return runs_[i].from; };
        for (const std::size_t i : std::ranges::equal_range(by_sender_, child, {}, sender)) {
            if (behind < i) gaps.push_back(sum(behind, i));
            behind = i + 1;
        }
        if (gaps.empty()) return std::nullopt;
        return folded(gaps);
    }

  private:
    struct Run {
        Progression nodes;
        std::size_t from;  ///< index of a child, or one of the above
        Value value;
    };

    [[nodiscard]] std::vector<Value> values() const {
        std::vector<Value> all;
        for (const Run& run : runs_) all.push_back(run.value);
        return all;
    }
    /// Combines by halves, because a value of many runs is copied when one is added.
    [[nodiscard]] Value folded(std::span<const Value> values) const {
        if (values.size() == 1) return values.front();
        const std::size_t half = values.size() / 2;
        const Value left = folded(values.first(half));
        return self_.fold(left, folded(values.subspan(half)));
    }
    /// Returns the sum of the runs first to end - 1, at least one. O(log runs) folds.
    [[nodiscard]] Value sum(std::size_t first, std::size_t end) const {
        std::optional<Value> all;
        while (first < end) {
            const auto fits = static_cast<std::size_t>(std::bit_width(end - first)) - 1;
            const std::size_t row =
                first == 0 ? fits : std::min(fits, static_cast<std::size_t>(std::countr_zero(first)));
            const Value& some = sums_[row][first >> row];
            all = all ? self_.fold(*all, some) : some;
            first += std::size_t{1} << row;
        }
        return *std::move(all);
    }

    Node& self_;
    std::vector<Run> runs_;
    PacketSet known_;                       ///< the nodes whose contributions are known
    std::vector<std::vector<Value>> sums_;  ///< row i: sums of 2^i runs each
    std::vector<std::size_t> by_sender_;    ///< indices of runs
};

/// Prefix sums: node v gets the combination of the contributions of nodes 0 .. v, in this order.
///
/// Machine   any graph, store-and-forward or wormhole, any k, combining
/// Gives     node v holds the contributions of 0 .. v, folded in order
/// Costs     rounds 2 b from node 0, twice the scatter's; volume at most the gather's and the scatter's
/// Idea      Up: each node sends its parent the contributions to its subtree, with consecutive nodes combined into one
///           partial result. Down: a child gets what it lacks of the nodes before the last of its subtree, a partial
///           result for each gap: so it can compute every prefix that ends in its subtree, and nothing comes to a node
///           twice. A child whose subtree is the nodes 0, 1, ... lacks nothing, and gets nothing.
/// Source    model.md section 6
Program prefix_sums_there_and_back(Node& self, const GatherTree& plan) {
    const NodeId parent = plan.tree.parent(self.id());
    const std::span<const std::uint32_t> children = plan.tree.children(self.id());
    Known known(self);
    for (std::size_t i = children.size(); i-- > 0;) {
        const Arrival arrival = co_await self.receive_from(children[i]);
        known.add(arrival.value(), i);
    }
    known.sort();
    if (self.id() != plan.tree.source()) {
        const Value all = known.all();
        co_await self.until(plan.sends_in(self.id()));
        co_await self.send_to(parent, all);
        if (known.has_no_gap()) {
            co_await self.next_round();
        } else {
            const Arrival arrival = co_await self.receive_from(parent);
            known.add(arrival.value(), Known::parent);
            known.sort();
        }
    }
    known.make_sums();
    if (const std::optional<Value> prefix = known.prefix()) self.result(*prefix);
    for (std::size_t i = 0; i < children.size(); ++i) {
        const std::optional<Value> lacking = known.lacking(i);
        if (lacking) co_await self.send_to(children[i], *lacking);
    }
}

/// Counts the runs of consecutive nodes in each subtree. Two neighbours are in one run of all subtrees that contain the
/// lowest one with both. O(N log N), along paths to the largest subtrees.
class RunsOfSubtrees {
  public:
    explicit RunsOfSubtrees(const SpanningTree& tree, NodeId nodes)
        : tree_(tree), preorder_(tree, nodes), top_(nodes), runs_(tree.sizes()), has_first_(nodes) {
        const std::vector<std::uint32_t> sizes = runs_;
        top_[tree.source()] = static_cast<std::uint32_t>(tree.source());
        for (NodeId place = 0; place < nodes; ++place) {
            const auto children = tree.children(preorder_.node(place));
            const auto largest =
                std::ranges::max_element(children, {}, [&](std::uint32_t child) { return sizes[child]; });
            for (const std::uint32_t child : children)
                top_[child] = child == *largest ? top_[preorder_.node(place)] : child;
        }
        std::vector<std::uint32_t> meet(nodes);
        for (NodeId v = 1; v < nodes; ++v) ++meet[lowest_with(v - 1, v)];
        for (NodeId place = nodes; place-- > 1;) {
            const NodeId v = preorder_.node(place);
            meet[tree.parent(v)] += meet[v];
        }
        for (NodeId v = 0; v < nodes; ++v) runs_[v] -= meet[v];
        for (NodeId v = 0; v != tree.source(); v = tree.parent(v)) has_first_[v] = true;
        has_first_[tree.source()] = true;
    }

    [[nodiscard]] std::uint64_t runs(NodeId v) const { return runs_[v]; }
    /// Returns the number of gaps: runs of nodes before the last of the subtree that are not in it.
    [[nodiscard]] std::uint64_t gaps(NodeId v) const { return runs_[v] - (has_first_[v] ? 1 : 0); }
    [[nodiscard]] const Preorder& preorder() const { return preorder_; }

  private:
    [[nodiscard]] NodeId lowest_with(NodeId v, NodeId w) const {
        while (top_[v] != top_[w]) {
            NodeId& lower = preorder_.number(top_[v]) < preorder_.number(top_[w]) ? w : v;
            lower = tree_.parent(top_[lower]);
        }
        return preorder_.number(v) < preorder_.number(w) ? v : w;
    }

    const SpanningTree& tree_;
    Preorder preorder_;
    std::vector<std::uint32_t> top_;  ///< top of the heavy path that contains the node
    std::vector<std::uint32_t> runs_;
    std::vector<bool> has_first_;  ///< whether node 0 is in the subtree
};

std::optional<std::string> misfit_scan_gather_scatter(const Machine& machine, const Collective&,
                                                      const AlgorithmOptions& options) {
    return first_of({needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

Start make_scan_gather_scatter(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto plan = std::make_shared<const GatherTree>(machine, collective.root);
    return {.program = [plan](Node& self) { return prefix_sums_there_and_back(self, *plan); }, .all_start = true};
}

ExpectedCost expect_scan_gather_scatter(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const GatherTree plan(machine, collective.root);
    const NodeId nodes = machine.topology->nodes();
    const RunsOfSubtrees subtrees(plan.tree, nodes);
    const Port ports = std::max<Port>(1, machine.widest());
    std::vector<std::uint64_t> largest(2 * plan.b + 2);
    std::vector<std::uint64_t> serves_after(nodes, plan.b);  // the round in which it gets the last value
    std::uint64_t rounds = plan.b;
    std::uint64_t messages = nodes - 1;
    for (NodeId place = 0; place < nodes; ++place) {
        const NodeId v = subtrees.preorder().node(place);
        std::uint64_t turn = 0;
        for (const NodeId child : plan.tree.children(v)) {
            const Round up = plan.sends_in(child);
            largest[up] = std::max(largest[up], subtrees.runs(child));
            serves_after[child] = up;
            if (subtrees.gaps(child) == 0) continue;
            const std::uint64_t down = serves_after[v] + turn++ / ports + 1;
            serves_after[child] = down;
            largest[down] = std::max(largest[down], subtrees.gaps(child));
            rounds = std::max(rounds, down);
            ++messages;
        }
    }
    std::uint64_t volume = 0;
    for (const std::uint64_t values : largest) volume += values;
    return {
        rounds,
        messages,
        rounds,
        volume,
        {fmt::format("what a subtree contributes goes up in the {} of a broadcast, what it lacks comes down: {}",
                     counted(plan.b, "round"), counted(rounds, "round")),
         fmt::format(
             "each of the tree's {} links carries a message up, and one down unless nothing is lacking: work {}",
             nodes - 1, messages),
         fmt::format("a message has a partial result for each run of consecutive nodes; the largest of each round add "
                     "up to a volume of {}",
                     counted(volume, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scan_gather_scatter() {
    return with_exclusive({
        .operation = Operation::scan,
        .name = "gather-scatter",
        .rule = "up the shortest-path tree the contributions of subtrees, consecutive nodes in one; down what each "
                "lacks of those before its last",
        .needs = "any graph, SF or WH, any k, combining; --source is the root",
        .cost = "2 b(s) rounds, twice those of the scatter; volume at most the gather's and the scatter's; work 2(N-1)",
        .source = "model section 6",
        .misfit = misfit_scan_gather_scatter,
        .make = make_scan_gather_scatter,
        .expect = expect_scan_gather_scatter,
        .table_bytes_per_node = GatherTree::bytes_per_node,
        .single_links = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
        .in_runs = true,
        .through_root = true,
    });
}

}  // namespace kport
