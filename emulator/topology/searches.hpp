/// @file searches.hpp   What breadth-first search finds in a graph, kept for those who ask again.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/topology/meeting_search.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// The distances from one node, 4 bytes a node.
struct DistanceTable {
    NodeId source;
    std::vector<std::uint32_t> distance;
    std::vector<std::uint64_t> profile;  ///< nodes at distance 0, 1, ..., exc(source)
    bool odd_cycle = false;              ///< a link joins two nodes at the same distance
};

/// Throws DoesNotFit where the memory does not suffice. O(channels).
[[nodiscard]] DistanceTable search_from(const Topology& topology, NodeId source);

/// The eccentricity of every node, by a search from each over a copy of the graph (4 bytes a channel): O(nodes * channels).
[[nodiscard]] std::vector<Hops> eccentricities_of(const Topology& topology);

/// Whether automorphisms take node 0 to every other node, by search; nothing beyond 256 nodes, or where the search gets long.
[[nodiscard]] std::optional<bool> looks_the_same_everywhere(const Topology& topology);

/// The searches of one topology. Callers: any thread.
class Topology::Searches {
  public:
    struct Counts {
        Port max_degree = 0;
        std::uint64_t channels = 0;
    };
    struct Extremes {  ///< of the eccentricities
        Hops least;
        Hops most;
    };

    /// The table stays while it is held; of many asked for, those asked for last stay here (at most 64 MiB, or three).
    [[nodiscard]] std::shared_ptr<const DistanceTable> from(const Topology& topology, NodeId source);
    /// The source asked for first is answered without a lock: a broadcast asks for the distances from its own.
    [[nodiscard]] Hops distance(const Topology& topology, NodeId source, NodeId to) {
        const DistanceTable* first = first_.load(std::memory_order_acquire);
        if (first != nullptr && first->source == source) return first->distance[to];
        return from(topology, source)->distance[to];
    }
    /// The same of a family that knows no distances: from the first such question on route() searches for ways.
    [[nodiscard]] Hops unknown_distance(const Topology& topology, NodeId source, NodeId to) {
        searches_for_ways_.store(true, std::memory_order_relaxed);
        return distance(topology, source, to);
    }
    [[nodiscard]] bool searches_for_ways() const { return searches_for_ways_.load(std::memory_order_relaxed); }
    /// As Topology::route(). Ways to a node are searched for one by one, until those searches together have cost what a table of
    /// all distances to it does: so who asks for one way pays for one, and who asks for many never pays twice the table.
    [[nodiscard]] Port route(const Topology& topology, NodeId at, NodeId to);
    [[nodiscard]] Counts counts(const Topology& topology);
    [[nodiscard]] Extremes extremes(const Topology& topology);
    /// As looks_the_same_everywhere().
    [[nodiscard]] std::optional<bool> symmetric(const Topology& topology);

  private:
    [[nodiscard]] bool finds_way(const Topology& topology, NodeId at, NodeId to);

    std::recursive_mutex mutex_;  ///< a search asks its topology, which may ask for another search
    std::atomic<const DistanceTable*> first_ = nullptr;
    std::map<NodeId, std::shared_ptr<const DistanceTable>> tables_;
    std::deque<NodeId> in_order_;  ///< sources of tables_, but for the first, the oldest at the front
    std::atomic<bool> searches_for_ways_ = false;
    ShortestWay way_;  ///< that was asked for last, and where on it
    std::size_t on_way_ = 0;
    std::unordered_map<NodeId, std::uint64_t> reached_;  ///< by searches for ways to a node
    std::optional<Counts> counts_;
    std::optional<Extremes> extremes_;
    std::optional<std::optional<bool>> symmetric_;  ///< once it was looked for
};

}  // namespace kport
