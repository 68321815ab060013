#include "emulator/topology/stored_graph.hpp"

#include <algorithm>

namespace kport {
namespace {

Port largest_degree(NodeId nodes, std::span<const StoredGraph::Link> links) {
    std::vector<Port> degree(nodes, 0);
    for (const auto& [a, b] : links) {
        ++degree[a];
        ++degree[b];
    }
    return *std::ranges::max_element(degree);
}

}  // namespace

StoredGraph::StoredGraph(std::string spec, NodeId nodes, std::span<const Link> links)
    : Topology(std::move(spec), nodes, largest_degree(nodes, links)), first_(nodes + 1, 0),
      neighbours_(2 * links.size()) {
    for (const auto& [a, b] : links) {
        ++first_[a + 1];
        ++first_[b + 1];
    }
    for (NodeId v = 0; v < nodes; ++v) first_[v + 1] += first_[v];
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [a, b] : links) {
        neighbours_[next[a]++] = b;
        neighbours_[next[b]++] = a;
    }
    for (NodeId v = 0; v < nodes; ++v)
        std::sort(neighbours_.begin() + static_cast<std::ptrdiff_t>(first_[v]),
                  neighbours_.begin() + static_cast<std::ptrdiff_t>(first_[v + 1]));
}

LinkEnd StoredGraph::across(NodeId v, Port p) const {
    if (p >= degree(v)) return {};
    const NodeId w = neighbours_[first_[v] + p];
    return {w, port_to(w, v)};
}

Port StoredGraph::port_to(NodeId v, NodeId w) const {
    const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(first_[v]);
    const auto end = neighbours_.begin() + static_cast<std::ptrdiff_t>(first_[v + 1]);
    const auto found = std::lower_bound(begin, end, w);
    return found != end && *found == w ? static_cast<Port>(found - begin) : no_port;
}

}  // namespace kport
