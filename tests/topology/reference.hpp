/// @file reference.hpp   Properties of a graph by brute force: the oracle of the topology tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport::test {

/// Distances and counts found by breadth-first search over the channels that across() names, for small graphs.
class Reference {
  public:
    explicit Reference(const Topology& topology) : neighbours_(topology.nodes()) {
        for (NodeId v = 0; v < topology.nodes(); ++v)
            for (Port p = 0; p < topology.ports(); ++p)
                if (const LinkEnd end = topology.across(v, p); end.node != no_node) neighbours_[v].push_back(end.node);
        for (NodeId v = 0; v < topology.nodes(); ++v) distances_.push_back(search(v));
    }

    [[nodiscard]] NodeId nodes() const { return neighbours_.size(); }
    [[nodiscard]] std::uint64_t degree(NodeId v) const { return neighbours_[v].size(); }
    [[nodiscard]] bool adjacent(NodeId v, NodeId w) const {
        return std::find(neighbours_[v].begin(), neighbours_[v].end(), w) != neighbours_[v].end();
    }
    [[nodiscard]] bool simple() const {
        for (NodeId v = 0; v < nodes(); ++v) {
            const std::set<NodeId> distinct(neighbours_[v].begin(), neighbours_[v].end());
            if (distinct.size() != neighbours_[v].size() || distinct.count(v) > 0) return false;
        }
        return true;
    }
    [[nodiscard]] std::uint64_t channels() const {
        std::uint64_t sum = 0;
        for (const auto& list : neighbours_) sum += list.size();
        return sum;
    }
    [[nodiscard]] std::uint64_t max_degree() const {
        std::uint64_t most = 0;
        for (const auto& list : neighbours_) most = std::max<std::uint64_t>(most, list.size());
        return most;
    }
    [[nodiscard]] bool connected() const {
        return std::find(distances_[0].begin(), distances_[0].end(), unreached) == distances_[0].end();
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const { return distances_[v][w]; }
    [[nodiscard]] Hops eccentricity(NodeId v) const {
        return *std::max_element(distances_[v].begin(), distances_[v].end());
    }
    [[nodiscard]] Hops diameter() const {
        Hops most = 0;
        for (NodeId v = 0; v < nodes(); ++v) most = std::max(most, eccentricity(v));
        return most;
    }
    [[nodiscard]] Hops radius() const {
        Hops least = unreached;
        for (NodeId v = 0; v < nodes(); ++v) least = std::min(least, eccentricity(v));
        return least;
    }
    [[nodiscard]] std::vector<std::uint64_t> profile(NodeId v) const {
        std::vector<std::uint64_t> counts(eccentricity(v) + 1, 0);
        for (const Hops d : distances_[v]) ++counts[d];
        return counts;
    }
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId v) const {
        return std::accumulate(distances_[v].begin(), distances_[v].end(), std::uint64_t{0});
    }
    /// A graph is bipartite exactly if no link joins nodes at equal distance from node 0.
    [[nodiscard]] bool bipartite() const {
        for (NodeId v = 0; v < nodes(); ++v)
            for (const NodeId w : neighbours_[v])
                if (distance(0, v) == distance(0, w)) return false;
        return true;
    }
    /// Necessary for vertex symmetry.
    [[nodiscard]] bool all_profiles_equal() const {
        for (NodeId v = 0; v < nodes(); ++v)
            if (profile(v) != profile(0)) return false;
        return true;
    }

  private:
    static constexpr Hops unreached = std::numeric_limits<Hops>::max();

    [[nodiscard]] std::vector<Hops> search(NodeId from) const {
        std::vector<Hops> distance(neighbours_.size(), unreached);
        std::vector<NodeId> queue{from};
        distance[from] = 0;
        for (std::size_t head = 0; head < queue.size(); ++head)
            for (const NodeId w : neighbours_[queue[head]])
                if (distance[w] == unreached) {
                    distance[w] = distance[queue[head]] + 1;
                    queue.push_back(w);
                }
        return distance;
    }

    std::vector<std::vector<NodeId>> neighbours_;
    std::vector<std::vector<Hops>> distances_;
};

}  // namespace kport::test
