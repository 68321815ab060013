#include "emulator/topology/stored_graph.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

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

StoredGraph::StoredGraph(std::string spec, NodeId nodes, std::span<const Link> links, std::vector<std::string> names)
    : Topology(std::move(spec), nodes, largest_degree(nodes, links)), first_(nodes + 1, 0),
      neighbours_(2 * links.size()), names_(std::move(names)) {
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

std::string StoredGraph::own_label(NodeId v) const {
    return names_.empty() || names_[v] == std::to_string(v) ? std::string() : names_[v];
}

NodeId StoredGraph::own_node(std::string_view text) const {
    const std::lock_guard lock(names_asked_);
    for (NodeId v = by_name_.size(); v < names_.size(); ++v) by_name_.emplace(names_[v], v);
    if (const auto named = by_name_.find(text); named != by_name_.end()) return named->second;
    if (names_.empty() || text.starts_with('=')) return Topology::own_node(text);
    if (const std::optional<NodeId> id = to_count(text); id && *id < nodes()) return *id;
    constexpr std::size_t looked_at = 4096;
    const std::vector<std::string_view> near(
        names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(std::min(names_.size(), looked_at)));
    refuse_node(text, fmt::format(", with names such as {}{}", quoted(names_.front()), did_you_mean(text, near)));
}

}  // namespace kport
