#include "algorithms/planning/heuristics.hpp"

#include <algorithm>
#include <numeric>

namespace kport::planning {
namespace {

/// Returns the nodes by ascending distance, by number among equals.
std::vector<Node32> by_distance(std::span<const std::uint32_t> distance) {
    std::vector<Node32> order(distance.size());
    std::iota(order.begin(), order.end(), Node32{0});
    std::ranges::stable_sort(order, {}, [&](Node32 v) { return distance[v]; });
    return order;
}

/// Rounds that each end of a link of a tree needs to inform its side.
class BothWays {
  public:
    BothWays(const Graph& tree, Port ports) : tree_(tree), ports_(ports), down_(tree.nodes()), up_(tree.nodes()) {
        const Node32 root = 0;
        const std::vector<std::uint32_t> depth = tree.distances({&root, 1});
        order_ = by_distance(depth);
        parent_ = lowest_parents(tree, depth);
    }

    [[nodiscard]] std::vector<std::uint32_t> rounds() {
        for (std::size_t i = order_.size(); i-- > 0;) {
            const Node32 v = order_[i];
            sort_neighbours(v, parent_[v]);
            down_[v] = rounds_with_children(needs_, ports_);
        }
        std::vector<std::uint32_t> rounds(tree_.nodes());
        for (const Node32 v : order_) {
            sort_neighbours(v, no_node32);
            rounds[v] = rounds_with_children(needs_, ports_);
            tell_children(v);
        }
        return rounds;
    }

  private:
    /// Sorts the neighbours of v except one by what they need for their sides, in descending order.
    void sort_neighbours(Node32 v, Node32 but) {
        near_.clear();
        for (const Node32 w : tree_.neighbours(v))
            if (w != but) near_.push_back(w);
        const auto need = [&](Node32 w) { return w == parent_[v] ? up_[v] : down_[w]; };
        std::ranges::stable_sort(near_, std::ranges::greater(), need);
        needs_.resize(near_.size());
        std::ranges::transform(near_, needs_.begin(), need);
    }
    /// Computes what v needs without one child, for each child: those after it move up a place.
    void tell_children(Node32 v) {
        std::vector<std::uint32_t> behind(near_.size() + 1);  // at [i]: for those from i on, one place earlier
        const auto place = [&](std::size_t i) { return static_cast<std::uint32_t>(i / ports_ + 1); };
        for (std::size_t i = near_.size(); i-- > 1;) behind[i] = std::max(behind[i + 1], place(i - 1) + needs_[i]);
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < near_.size(); ++i) {
            if (near_[i] != parent_[v]) up_[near_[i]] = std::max(before, behind[i + 1]);
            before = std::max(before, place(i) + needs_[i]);
        }
    }

    const Graph& tree_;
    Port ports_;
    std::vector<Node32> order_;
    Parents parent_;
    std::vector<std::uint32_t> down_;  ///< what v needs for its subtree
    std::vector<std::uint32_t> up_;    ///< what the parent of v needs without v's side
    std::vector<Node32> near_;
    std::vector<std::uint32_t> needs_;
};

}  // namespace

std::uint32_t rounds_with_children(std::span<const std::uint32_t> below, Port ports) {
    std::uint32_t rounds = 0;
    for (std::size_t i = 0; i < below.size(); ++i)
        rounds = std::max(rounds, static_cast<std::uint32_t>(i / ports + 1) + below[i]);
    return rounds;
}

Parents lowest_parents(const Graph& graph, std::span<const std::uint32_t> distance) {
    Parents parent(graph.nodes(), no_node32);
    for (Node32 v = 0; v < graph.nodes(); ++v)
        for (const Node32 w : graph.neighbours(v))
            if (distance[w] < distance[v]) {
                parent[v] = w;
                break;
            }
    return parent;
}

Calls along(const Graph& graph, std::span<const std::uint32_t> distance, const Parents& parent, Port ports) {
    const std::vector<Node32> order = by_distance(distance);
    std::vector<std::uint64_t> first(std::size_t{graph.nodes()} + 1);  // index of a node's first child
    for (const Node32 p : parent)
        if (p != no_node32) ++first[p + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Node32> children(first.back());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (Node32 v = 0; v < graph.nodes(); ++v)
        if (parent[v] != no_node32) children[next[parent[v]]++] = v;

    std::vector<std::uint32_t> need(graph.nodes());
    std::vector<std::uint32_t> below;
    for (std::size_t i = order.size(); i-- > 0;) {
        const Node32 v = order[i];
        const std::span<Node32> mine(children.data() + first[v], children.data() + first[v + 1]);
        std::ranges::stable_sort(mine, std::ranges::greater(), [&](Node32 c) { return need[c]; });
        below.resize(mine.size());
        std::ranges::transform(mine, below.begin(), [&](Node32 c) { return need[c]; });
        need[v] = rounds_with_children(below, ports);
    }

    Calls calls;
    calls.reserve(children.size());
    std::vector<Round> told(graph.nodes());
    for (const Node32 v : order)
        for (std::uint64_t i = first[v]; i < first[v + 1]; ++i) {
            const Node32 child = children[i];
            told[child] = told[v] + static_cast<Round>((i - first[v]) / ports + 1);
            calls.push_back({told[child], v, child});
        }
    return calls;
}

std::vector<std::uint32_t> rounds_in_tree(const Graph& tree, Port ports) { return BothWays(tree, ports).rounds(); }

}  // namespace kport::planning
