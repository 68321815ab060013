/// @file searches.hpp   Searches of a graph: breadth-first ones, cached by topology; one shortest path from both ends; connectivity.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The path that Topology::route() gives from one node to another.
struct ShortestWay {
    struct Step {
        NodeId at;
        Port port;  ///< the port by which the path leaves it
    };
    std::vector<Step> steps;
    NodeId to = no_node;
};

/// Searches level by level from both ends, the smaller rim first, until the two meet. Where balls grow fast, as in
/// random graphs, it visits about the square root of the nodes. The path is that of route(): each step takes the lowest
/// port that leads nearer. Pohl, Bi-directional search, Machine Intelligence 6 (1971).
///
/// `reached_max`   give up once more nodes were reached
/// `reached`       is increased by the nodes reached, found or not
/// Memory        about 64 bytes a node reached
[[nodiscard]] std::optional<ShortestWay> meeting_search(const Topology& graph, NodeId from, NodeId to,
                                                        std::uint64_t reached_max, std::uint64_t& reached);

/// The distances from one node, 4 bytes a node.
struct DistanceTable {
    NodeId source;
    std::vector<std::uint32_t> distance;
    std::vector<std::uint64_t> profile;  ///< nodes at distance 0, 1, ..., ecc(source)
    bool odd_cycle = false;              ///< a link joins two nodes at the same distance
};

/// Throws DoesNotFit where there is not enough memory. O(channels).
[[nodiscard]] DistanceTable search_from(const Topology& topology, NodeId source);

/// Returns the eccentricity of every node, by a search from each over a copy of the graph (4 bytes a channel): O(nodes
/// * channels).
[[nodiscard]] std::vector<Hops> eccentricities_of(const Topology& topology);

/// Returns how many nodes of a Cartesian product are at each distance: distances in its factors add up. O(a * b).
[[nodiscard]] std::vector<std::uint64_t> profile_of_product(const std::vector<std::uint64_t>& one,
                                                            const std::vector<std::uint64_t>& other);

/// Whether the graph is vertex-transitive, by a search for automorphisms; nothing beyond 256 nodes, or if it takes too
/// long.
[[nodiscard]] std::optional<bool> looks_the_same_everywhere(const Topology& topology);

/// The searches of one topology. Thread-safe.
class Topology::Searches {
  public:
    struct Counts {
        Port max_degree = 0;
        std::uint64_t channels = 0;
    };
    struct Extremes {  ///< extremes of the eccentricities
        Hops least;
        Hops most;
    };

    /// Returns the distances from a source. The cache keeps the most recent tables (at most 64 MiB, or three).
    [[nodiscard]] std::shared_ptr<const DistanceTable> from(const Topology& topology, NodeId source);
    /// The first source is answered without a lock: a broadcast asks for the distances from its source.
    [[nodiscard]] Hops distance(const Topology& topology, NodeId source, NodeId to) {
        const DistanceTable* first = first_.load(std::memory_order_acquire);
        if (first != nullptr && first->source == source) return first->distance[to];
        return from(topology, source)->distance[to];
    }
    /// distance() for a family without a formula: from the first such question on, route() searches for paths.
    [[nodiscard]] Hops unknown_distance(const Topology& topology, NodeId source, NodeId to) {
        searches_for_ways_.store(true, std::memory_order_relaxed);
        return distance(topology, source, to);
    }
    [[nodiscard]] bool searches_for_ways() const { return searches_for_ways_.load(std::memory_order_relaxed); }
    /// As Topology::route(). Runs one search per path until their total cost for a destination equals that of its
    /// distance table, then builds the table: total cost <= 2 x table.
    [[nodiscard]] Port route(const Topology& topology, NodeId at, NodeId to);
    [[nodiscard]] Counts counts(const Topology& topology);
    [[nodiscard]] Extremes extremes(const Topology& topology);
    /// As looks_the_same_everywhere().
    [[nodiscard]] std::optional<bool> symmetric(const Topology& topology);

  private:
    [[nodiscard]] bool finds_way(const Topology& topology, NodeId at, NodeId to);

    std::recursive_mutex mutex_;  ///< recursive: a search asks its topology, which may ask for another search
    std::atomic<const DistanceTable*> first_ = nullptr;
    std::map<NodeId, std::shared_ptr<const DistanceTable>> tables_;
    std::deque<NodeId> in_order_;  ///< sources of tables_ except the first one, the oldest at the front
    std::atomic<bool> searches_for_ways_ = false;
    ShortestWay way_;  ///< the path asked for last, and the position on it
    std::size_t on_way_ = 0;
    std::unordered_map<NodeId, std::uint64_t> reached_;  ///< nodes visited by path searches, by destination
    std::optional<Counts> counts_;
    std::optional<Extremes> extremes_;
    std::optional<std::optional<bool>> symmetric_;  ///< set once it was searched for
};

/// The fewest links, and the fewest nodes, whose removal disconnects the graph.
struct Connectivity {
    Port links = 0;
    Port nodes = 0;  ///< N - 1 for a complete graph, which no removal of nodes disconnects

    bool operator==(const Connectivity&) const = default;
};

/// Returns the connectivity, by Menger's theorem the largest number of paths without a common link, or node, between
/// every two nodes. Nothing where the search would take more than some seconds.
///
/// Source    Esfahanian, Hakimi, On computing the connectivities of graphs and digraphs, Networks 14 (1984)
/// Cost      O(nodes * least degree * channels)
[[nodiscard]] std::optional<Connectivity> connectivity_of(const Topology& graph);

}  // namespace kport
