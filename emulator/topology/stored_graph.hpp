/// @file stored_graph.hpp   Graphs stored by their links.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// A graph given by its links; the ports of a node lead to its neighbours in ascending order. Nodes may have names.
/// Memory   8 bytes a node and 4 a channel, and the names.
class StoredGraph final : public Topology {
  public:
    struct Link {
        std::uint32_t a;
        std::uint32_t b;
    };

    /// `links`: between nodes below `nodes`, each once, connecting all. `names`: none, or one for each node, all
    /// different; a node whose name is its number has none.
    StoredGraph(std::string spec, NodeId nodes, std::span<const Link> links, std::vector<std::string> names = {});

    /// Returns the neighbours of v in ascending order.
    [[nodiscard]] std::span<const std::uint32_t> neighbours(NodeId v) const {
        return {neighbours_.data() + first_[v], neighbours_.data() + first_[v + 1]};
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override;
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override;
    [[nodiscard]] Port degree(NodeId v) const override { return static_cast<Port>(first_[v + 1] - first_[v]); }
    [[nodiscard]] Port labels(NodeId v) const override { return degree(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return neighbours_.size(); }
    [[nodiscard]] std::string own_label(NodeId v) const override;
    /// A name, else a number: names come first, since a file may call its nodes 1 to N; "=3" is number 3. O(nodes) the first
    /// time, then O(1).
    [[nodiscard]] NodeId own_node(std::string_view text) const override;

  private:
    std::vector<std::uint64_t> first_;  ///< index of a node's first neighbour; N + 1 entries
    std::vector<std::uint32_t> neighbours_;
    std::vector<std::string> names_;
    mutable std::mutex names_asked_;
    mutable std::unordered_map<std::string_view, NodeId> by_name_;  ///< made when a name is asked for
};

}  // namespace kport
