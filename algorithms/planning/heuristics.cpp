#include "algorithms/planning/heuristics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace kport::planning {
namespace {

/// The nodes by distance from the sources, the farthest first, and the rounds that each needs for the nodes behind it.
class Layers {
  public:
    Layers(const Graph& graph, SendLimits ports) : graph_(graph), ports_(std::move(ports)) {}

    /// Plans the trees inwards up to layer `last` (1: the sources become parents as well).
    void plan(std::vector<std::uint32_t> distance, std::uint32_t last) {
        distance_ = std::move(distance);
        need_.assign(graph_.nodes(), 0);
        children_.assign(graph_.nodes(), 0);
        parent_.assign(graph_.nodes(), no_node32);
        sort_by_distance();
        for (std::size_t x = first_.size() - 1; x-- > last;) join(x);
    }

    [[nodiscard]] std::span<const std::uint32_t> distance() const { return distance_; }
    [[nodiscard]] const Parents& parents() const { return parent_; }
    [[nodiscard]] std::uint32_t need(Node32 v) const { return need_[v]; }
    [[nodiscard]] std::span<const Node32> layer(std::size_t x) const {
        if (x + 1 >= first_.size()) return {};
        return {order_.data() + first_[x], order_.data() + first_[x + 1]};
    }
    /// Returns how many neighbours of v are a layer nearer.
    [[nodiscard]] std::uint32_t nearer(Node32 v) const {
        std::uint32_t count = 0;
        for (const Node32 w : graph_.neighbours(v)) count += distance_[w] + 1 == distance_[v] ? 1 : 0;
        return count;
    }

  private:
    void sort_by_distance() {
        const std::uint32_t farthest = *std::ranges::max_element(distance_);
        first_.assign(farthest + 2, 0);
        for (const std::uint32_t d : distance_) ++first_[d + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        order_.resize(graph_.nodes());
        std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
        for (Node32 v = 0; v < graph_.nodes(); ++v) order_[next[distance_[v]]++] = v;
    }

    void join(std::size_t x) {
        keyed_.clear();
        for (const Node32 v : layer(x)) keyed_.emplace_back(~need_[v], nearer(v), v);
        std::ranges::sort(keyed_);
        for (const auto& [key, nearer, v] : keyed_) {
            std::tuple<std::uint32_t, std::uint32_t, Node32> best{~0U, ~0U, no_node32};
            for (const Node32 u : graph_.neighbours(v))
                if (distance_[u] + 1 == distance_[v])
                    best = std::min(best, std::tuple(need_with(u, v), children_[u], u));
            const auto& [need, count, parent] = best;
            need_[parent] = need;
            ++children_[parent];
            parent_[v] = parent;
        }
    }
    /// Returns u's need with v as another child. Children are added in descending order of need, so v is served last.
    [[nodiscard]] std::uint32_t need_with(Node32 u, Node32 v) const {
        return std::max(need_[u], children_[u] / std::max<Port>(1, ports_.of(u)) + 1 + need_[v]);
    }

    const Graph& graph_;
    SendLimits ports_;
    std::vector<std::uint32_t> distance_;
    std::vector<Node32> order_;
    std::vector<std::uint64_t> first_;  ///< index of a layer's first node in order_
    std::vector<std::uint32_t> need_;
    std::vector<std::uint32_t> children_;
    Parents parent_;
    std::vector<std::tuple<std::uint32_t, std::uint32_t, Node32>> keyed_;
};

/// Matches nodes with informed neighbours, each of which serves at most k.
///
/// Taking the nodes in descending order of weight, each if an augmenting path frees a sender for it, gives the heaviest
/// matching (transversal matroid). Senders visited by an unsuccessful search never lie on an augmenting path again.
class Matching {
  public:
    Matching(const Graph& graph, std::span<const std::uint32_t> distance, const SendLimits& ports)
        : graph_(graph), distance_(distance), ports_(ports), teacher_(graph.nodes(), no_node32), pupils_(graph.nodes()),
          seen_by_(graph.nodes(), no_node32), seen_(graph.nodes()) {}

    void take(Node32 v) {
        ++now_;
        queue_.assign(1, v);
        for (std::size_t i = 0; i < queue_.size(); ++i)
            for (const Node32 u : graph_.neighbours(queue_[i])) {
                if (distance_[u] != 0 || seen_[u] == now_ || seen_[u] == dead) continue;
                seen_[u] = now_;
                seen_by_[u] = queue_[i];
                if (pupils_[u].size() < ports_.of(u)) return free(u);
                for (const Node32 pupil : pupils_[u]) queue_.push_back(pupil);
            }
        for (const Node32 seeker : queue_)
            for (const Node32 u : graph_.neighbours(seeker))
                if (distance_[u] == 0) seen_[u] = dead;
    }

    [[nodiscard]] Node32 teacher(Node32 v) const { return teacher_[v]; }

  private:
    static constexpr std::uint32_t dead = ~0U;

    /// u serves the node that found it, whose old sender serves the one that found that, and so on.
    void free(Node32 u) {
        for (;;) {
            const Node32 v = seen_by_[u];
            const Node32 old = std::exchange(teacher_[v], u);
            pupils_[u].push_back(v);
            if (old == no_node32) return;
            std::erase(pupils_[old], v);
            u = old;
        }
    }

    const Graph& graph_;
    std::span<const std::uint32_t> distance_;
    const SendLimits& ports_;
    std::vector<Node32> teacher_;
    std::vector<std::vector<Node32>> pupils_;
    std::vector<Node32> seen_by_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t now_ = 0;
    std::vector<Node32> queue_;
};

/// Returns the uninformed neighbours of informed nodes in the order of matching: by descending need, ascending number
/// of informed neighbours, and then as the links of informed nodes, by number, reach them.
std::vector<Node32> candidates(const Graph& graph, const Layers& layers) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, Node32, Node32>> keyed;
    for (const Node32 v : layers.layer(1)) {
        const auto near = graph.neighbours(v);
        const auto met = std::ranges::find_if(near, [&](Node32 u) { return layers.distance()[u] == 0; });
        keyed.emplace_back(~layers.need(v), layers.nearer(v), *met, v);
    }
    std::ranges::sort(keyed);
    std::vector<Node32> order;
    order.reserve(keyed.size());
    for (const auto& key : keyed) order.push_back(std::get<3>(key));
    return order;
}

}  // namespace

Calls farthest_first(const Graph& graph, std::span<const Node32> sources, Port ports) {
    const std::vector<std::uint32_t> distance = graph.distances(sources);
    return along(graph, distance, lowest_parents(graph, distance), ports);
}

Calls best_tree(const Graph& graph, std::span<const Node32> sources, Port ports) {
    Layers layers(graph, ports);
    layers.plan(graph.distances(sources), 1);
    return along(graph, layers.distance(), layers.parents(), ports);
}

Calls layered(const Graph& graph, std::span<const Node32> sources, const SendLimits& ports, const Stop& stop) {
    Calls calls;
    Layers layers(graph, ports);
    std::vector<Node32> informed(sources.begin(), sources.end());
    for (Round round = 1; informed.size() < graph.nodes(); ++round) {
        if (stop()) return {};
        layers.plan(graph.distances(informed), 2);
        Matching matching(graph, layers.distance(), ports);
        for (const Node32 v : candidates(graph, layers)) matching.take(v);
        for (const Node32 v : layers.layer(1))
            if (const Node32 u = matching.teacher(v); u != no_node32) {
                calls.push_back({round, u, v});
                informed.push_back(v);
            }
    }
    return calls;
}

}  // namespace kport::planning
