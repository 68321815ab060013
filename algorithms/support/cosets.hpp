/// @file cosets.hpp   A hypercube or torus as a group modulo a subgroup, and paths in it that share no channel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The nodes of a hypercube or a torus as a group: v + w adds their numbers bit by bit, or their coordinates modulo the
/// sides. A port leads from v to v + g with the same g everywhere.
///
/// Callers   any thread.
class NodeGroup {
  public:
    /// Throws std::invalid_argument for any other topology.
    explicit NodeGroup(const Topology& graph);

    [[nodiscard]] const Topology& graph() const { return graph_; }
    [[nodiscard]] NodeId sum(NodeId v, NodeId w) const;
    /// Returns each of some nodes plus 0, v, 2 v, ...: the next subgroup, if they are one.
    [[nodiscard]] std::vector<NodeId> extended(std::span<const NodeId> subgroup, NodeId v) const;

  private:
    const Topology& graph_;
    bool words_;
};

/// A group of nodes modulo a subgroup: cosets 0, 1, ..., the subgroup itself first, joined by the ports.
///
/// Memory   8 bytes a node.  Cost O(nodes).
class Cosets {
  public:
    using Routes = std::vector<std::vector<Port>>;

    Cosets(const NodeGroup& group, std::span<const NodeId> subgroup);

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(lowest_.size()); }
    [[nodiscard]] std::uint32_t coset(NodeId v) const { return coset_[v]; }
    /// Returns its lowest node.
    [[nodiscard]] NodeId lowest(std::uint32_t coset) const { return lowest_[coset]; }

    /// Returns routes from coset 0 to each of some others, as short as augmenting paths find them, no two of which use
    /// the same port of the same coset: taken from all nodes of the subgroup at once, no two share a channel, nor a
    /// link in both directions. Nothing if there are none.
    [[nodiscard]] std::optional<Routes> disjoint_routes(std::span<const std::uint32_t> to) const;

  private:
    struct End {
        std::uint32_t coset;
        Port port;  ///< the port of that coset back
    };
    [[nodiscard]] std::optional<End> across(std::uint32_t coset, Port port) const;
    [[nodiscard]] std::size_t arc(std::uint32_t coset, Port port) const {
        return std::size_t{coset} * group_.graph().ports() + port;
    }
    /// Adds a route to one of the cosets still wanted, possibly rerouting others. Returns false if there is none.
    [[nodiscard]] bool augment(std::vector<bool>& used, std::vector<bool>& wanted) const;
    /// Returns a route along used arcs to the first coset that ends one, and marks them unused.
    [[nodiscard]] std::vector<Port> taken(std::vector<bool>& used, std::vector<bool>& ends) const;

    const NodeGroup& group_;
    std::vector<std::uint32_t> coset_;
    std::vector<NodeId> lowest_;
};

}  // namespace kport
