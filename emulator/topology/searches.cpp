#include "emulator/topology/searches.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"

namespace kport {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t visits_max = std::uint64_t{1} << 34;  // visits of ports; takes minutes
constexpr NodeId searched_nodes_max = NodeId{1} << 28;

/// Throws DoesNotFit before memory is taken.
void require_memory(const Topology& topology, double bytes) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    if (topology.nodes() > searched_nodes_max)
        throw DoesNotFit(fmt::format("distances in {} take a search of its {} nodes; a search takes at most {}",
                                     topology.spec(), topology.nodes(), searched_nodes_max));
    if (topology.ports() > visits_max / topology.nodes())
        throw DoesNotFit(
            fmt::format("a search of {} looks at {} ports of each of its {} nodes, and that takes too long",
                        topology.spec(), topology.ports(), topology.nodes()));
    const auto there = static_cast<double>(memory_available());
    if (bytes > there)
        throw DoesNotFit(
            fmt::format("a search of the {} nodes of {} needs about {:.1f} GiB and {:.1f} GiB are available",
                        topology.nodes(), topology.spec(), bytes / gib, there / gib));
}

/// A copy of the graph: the neighbours of each node, in the order of its ports.
class Neighbours {
  public:
    explicit Neighbours(const Topology& topology) {
        constexpr double bytes_node = 16;
        require_memory(topology, bytes_node * static_cast<double>(topology.nodes()) +
                                     4.0 * static_cast<double>(topology.channels()));
        first_.reserve(topology.nodes() + 1);
        neighbours_.reserve(topology.channels());
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            first_.push_back(neighbours_.size());
            for_each_neighbour(topology, v, [&](NodeId w) { neighbours_.push_back(static_cast<std::uint32_t>(w)); });
        }
        first_.push_back(neighbours_.size());
    }

    template <class Visit>
    void of(std::uint32_t v, const Visit& visit) const {
        for (std::uint64_t i = first_[v]; i < first_[v + 1]; ++i) visit(neighbours_[i]);
    }

  private:
    std::vector<std::uint64_t> first_;
    std::vector<std::uint32_t> neighbours_;
};

/// Breadth-first search over the neighbours that for_each_neighbour(v, visit) names; stores the profile in `level`.
/// Returns whether a link joins two nodes of one level.
template <class ForEachNeighbour>
bool search_levels(NodeId source, std::vector<std::uint32_t>& distance, std::vector<std::uint64_t>& profile,
                   const ForEachNeighbour& for_each_neighbour) {
    bool odd = false;
    std::vector<std::uint32_t> level{static_cast<std::uint32_t>(source)};
    std::vector<std::uint32_t> next;
    distance[source] = 0;
    for (std::uint32_t d = 0; !level.empty(); ++d) {
        profile.push_back(level.size());
        for (const std::uint32_t v : level)
            for_each_neighbour(v, [&](NodeId w) {
                odd |= distance[w] == d;
                if (distance[w] != unreached) return;
                distance[w] = d + 1;
                next.push_back(static_cast<std::uint32_t>(w));
            });
        level.swap(next);
        next.clear();
    }
    return odd;
}

}  // namespace

DistanceTable search_from(const Topology& topology, NodeId source) {
    constexpr double bytes_node = 12;  // the table, and two levels
    require_memory(topology, bytes_node * static_cast<double>(topology.nodes()));
    DistanceTable table{source, std::vector(topology.nodes(), unreached), {}};
    table.odd_cycle = search_levels(source, table.distance, table.profile, [&](std::uint32_t v, const auto& visit) {
        for_each_neighbour(topology, v, visit);
    });
    std::uint64_t reached = 0;
    for (const std::uint64_t nodes : table.profile) reached += nodes;
    if (reached != topology.nodes())
        throw RequestError(fmt::format("{} is not connected: {} of its {} nodes are in reach of node {}",
                                       topology.spec(), reached, topology.nodes(), source));
    return table;
}

std::vector<std::uint64_t> profile_of_product(const std::vector<std::uint64_t>& one,
                                              const std::vector<std::uint64_t>& other) {
    std::vector<std::uint64_t> profile(one.size() + other.size() - 1, 0);
    for (std::size_t d = 0; d < one.size(); ++d)
        for (std::size_t e = 0; e < other.size(); ++e) profile[d + e] += one[d] * other[e];
    return profile;
}

std::vector<Hops> eccentricities_of(const Topology& topology) {
    const Neighbours neighbours(topology);
    std::vector<Hops> found;
    std::vector<std::uint32_t> distance(topology.nodes());
    std::vector<std::uint64_t> profile;
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        std::ranges::fill(distance, unreached);
        profile.clear();
        search_levels(v, distance, profile, [&](std::uint32_t u, const auto& visit) { neighbours.of(u, visit); });
        found.push_back(profile.size() - 1);
    }
    return found;
}

std::shared_ptr<const DistanceTable> Topology::Searches::from(const Topology& topology, NodeId source) {
    constexpr std::uint64_t bytes_max = std::uint64_t{1} << 26;
    constexpr std::uint64_t tables_min = 3;
    const std::scoped_lock lock(mutex_);
    if (const auto found = tables_.find(source); found != tables_.end()) return found->second;
    auto table = std::make_shared<const DistanceTable>(search_from(topology, source));
    if (first_.load(std::memory_order_relaxed) == nullptr)
        first_.store(table.get(), std::memory_order_release);
    else
        in_order_.push_back(source);
    tables_.emplace(source, table);
    if (tables_.size() > std::max(tables_min, bytes_max / (topology.nodes() * sizeof(std::uint32_t)))) {
        tables_.erase(in_order_.front());
        in_order_.pop_front();
    }
    return table;
}

/// Whether way_ is a path to `to` that is now at `at`: the next step of the last path, or found by a search that is
/// worth its cost.
bool Topology::Searches::finds_way(const Topology& topology, NodeId at, NodeId to) {
    constexpr std::uint64_t cost_of_reaching = 4;  // cost of reaching a node, in nodes of a table
    if (way_.to == to && on_way_ + 1 < way_.steps.size() && way_.steps[on_way_ + 1].at == at) ++on_way_;
    if (way_.to == to && way_.steps[on_way_].at == at) return true;
    if (tables_.contains(to)) return false;
    std::uint64_t& reached = reached_[to];
    const std::uint64_t reached_max = topology.nodes() / cost_of_reaching;
    if (reached > reached_max) return false;
    auto found = meeting_search(topology, at, to, reached_max - reached, reached);
    if (!found) return false;
    way_ = *std::move(found);
    on_way_ = 0;
    return true;
}

Port Topology::Searches::route(const Topology& topology, NodeId at, NodeId to) {
    const std::scoped_lock lock(mutex_);
    if (at == to) return no_port;
    if (finds_way(topology, at, to)) return way_.steps[on_way_].port;
    const DistanceTable& table = *from(topology, to);
    Port nearer = no_port;
    for_each_neighbour(topology, at, [&](NodeId w, Port port) {
        if (nearer == no_port && table.distance[w] < table.distance[at]) nearer = port;
    });
    return nearer;
}

Topology::Searches::Counts Topology::Searches::counts(const Topology& topology) {
    const std::scoped_lock lock(mutex_);
    if (counts_) return *counts_;
    Counts counts;
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        const Port degree = topology.degree(v);
        counts.max_degree = std::max(counts.max_degree, degree);
        counts.channels += degree;
    }
    return *(counts_ = counts);
}

Topology::Searches::Extremes Topology::Searches::extremes(const Topology& topology) {
    const std::scoped_lock lock(mutex_);
    if (extremes_) return *extremes_;
    if (topology.channels() > visits_max / topology.nodes())
        throw DoesNotFit(
            fmt::format("diameter and radius of {} take a search from each of its {} nodes, and that takes too long",
                        topology.spec(), topology.nodes()));
    const std::vector<Hops> all = eccentricities_of(topology);
    const auto [least, most] = std::ranges::minmax(all);
    return *(extremes_ = Extremes{least, most});
}

std::optional<bool> Topology::Searches::symmetric(const Topology& topology) {
    const std::scoped_lock lock(mutex_);
    if (!symmetric_) symmetric_.emplace(looks_the_same_everywhere(topology));
    return *symmetric_;
}

}  // namespace kport
