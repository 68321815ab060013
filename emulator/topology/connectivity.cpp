#include "emulator/topology/searches.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace kport {
namespace {

/// Finds paths without a common arc, each by breadth-first search along free arcs, or backwards along used ones.
class DisjointPaths {
  public:
    explicit DisjointPaths(std::size_t nodes) : arcs_(nodes), came_by_(nodes) {}

    void add_arc(std::uint32_t from, std::uint32_t to) {
        arcs_[from].push_back(static_cast<std::uint32_t>(ends_.size()));
        ends_.push_back(to);
        arcs_[to].push_back(static_cast<std::uint32_t>(ends_.size()));
        ends_.push_back(from);
    }
    /// Returns the number of such paths, at most `most`.
    [[nodiscard]] Port between(std::uint32_t from, std::uint32_t to, Port most) {
        free_.resize(ends_.size());
        for (std::size_t arc = 0; arc < free_.size(); ++arc) free_[arc] = arc % 2 == 0;
        Port found = 0;
        while (found < most && add_path(from, to)) ++found;
        return found;
    }

  private:
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

    bool add_path(std::uint32_t from, std::uint32_t to) {
        std::ranges::fill(came_by_, nothing);
        std::vector<std::uint32_t> open{from};
        for (std::size_t i = 0; i < open.size() && came_by_[to] == nothing; ++i)
            for (const std::uint32_t arc : arcs_[open[i]]) {
                const std::uint32_t end = ends_[arc];
                if (!free_[arc] || end == from || came_by_[end] != nothing) continue;
                came_by_[end] = arc;
                open.push_back(end);
            }
        if (came_by_[to] == nothing) return false;
        for (std::uint32_t at = to; at != from; at = ends_[came_by_[at] ^ 1U]) {
            free_[came_by_[at]] = false;
            free_[came_by_[at] ^ 1U] = true;
        }
        return true;
    }

    std::vector<std::vector<std::uint32_t>> arcs_;  ///< of a node; arc 2i was added, 2i+1 is its reverse
    std::vector<std::uint32_t> ends_;
    std::vector<bool> free_;
    std::vector<std::uint32_t> came_by_;
};

/// Returns the size of a minimum link cut, at most `most`. Any cut separates node 0 from another node.
Port links_that_part(const Topology& graph, Port most) {
    DisjointPaths paths(graph.nodes());
    for (NodeId v = 0; v < graph.nodes(); ++v)
        for_each_neighbour(
            graph, v, [&](NodeId w) { paths.add_arc(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w)); });
    for (NodeId v = 1; v < graph.nodes(); ++v) most = paths.between(0, static_cast<std::uint32_t>(v), most);
    return most;
}

/// Returns the size of a minimum node cut, at most `most`. It separates `least` from another node, or contains it and
/// separates two of its neighbours.
Port nodes_that_part(const Topology& graph, NodeId least, Port most) {
    // A node becomes an arc from where its incoming arcs end to where its outgoing arcs begin.
    const auto arriving = [](NodeId v) { return static_cast<std::uint32_t>(2 * v); };
    const auto leaving = [](NodeId v) { return static_cast<std::uint32_t>(2 * v + 1); };
    DisjointPaths paths(2 * graph.nodes());
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        paths.add_arc(arriving(v), leaving(v));
        for_each_neighbour(graph, v, [&](NodeId w) { paths.add_arc(leaving(v), arriving(w)); });
    }
    const auto look_at = [&](NodeId v, NodeId w) {
        if (v != w && graph.port_to(v, w) == no_port) most = paths.between(leaving(v), arriving(w), most);
    };
    std::vector<NodeId> beside;
    for_each_neighbour(graph, least, [&](NodeId w) { beside.push_back(w); });
    for (NodeId v = 0; v < graph.nodes(); ++v) look_at(least, v);
    for (std::size_t i = 0; i < beside.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) look_at(beside[i], beside[j]);
    return most;
}

}  // namespace

std::optional<Connectivity> connectivity_of(const Topology& graph) {
    constexpr double steps_max = 5e8;
    constexpr NodeId nodes_max_searched = NodeId{1} << 20;
    if (graph.nodes() > nodes_max_searched) return std::nullopt;
    if (graph.nodes() == 1) return Connectivity{0, 0};
    NodeId least = 0;
    for (NodeId v = 1; v < graph.nodes(); ++v)
        if (graph.degree(v) < graph.degree(least)) least = v;
    const Port most = graph.degree(least);
    const double pairs = static_cast<double>(graph.nodes()) + 0.5 * most * most;
    if (3 * pairs * (most + 1.0) * static_cast<double>(graph.channels()) > steps_max) return std::nullopt;
    return Connectivity{links_that_part(graph, most), nodes_that_part(graph, least, most)};
}

}  // namespace kport
