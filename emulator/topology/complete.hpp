/// @file complete.hpp   K_N: every node is linked to every other.
#pragma once

#include "emulator/topology/topology.hpp"

namespace kport {

/// The complete graph. Port p of v leads to the p-th of the other nodes in order: to p if p < v, otherwise to p + 1.
class Complete : public RegularTopology {
  public:
    /// Ports are 32-bit numbers below no_port: this limits complete graphs and keeps channels() within 64 bits.
    static constexpr NodeId complete_nodes_max = NodeId{1} << 32;

    /// Throws RequestError unless nodes >= 1; DoesNotFit beyond complete_nodes_max.
    explicit Complete(NodeId nodes);

    /// Returns the port of v that leads to w != v.
    [[nodiscard]] static Port port(NodeId v, NodeId w) { return static_cast<Port>(w < v ? w : w - 1); }
    /// Returns the node that port p of v leads to.
    [[nodiscard]] static NodeId neighbour(NodeId v, Port p) { return p < v ? p : NodeId{p} + 1; }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId w = neighbour(v, p);
        return {w, port(w, v)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override { return v == w ? no_port : port(v, w); }

    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override { return v == w ? 0 : 1; }
    [[nodiscard]] Hops eccentricity(NodeId) const override { return diameter(); }
    [[nodiscard]] Hops diameter() const override { return nodes() == 1 ? 0 : 1; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override;
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId) const override { return nodes() - 1; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    [[nodiscard]] bool bipartite() const override { return nodes() <= 2; }

    [[nodiscard]] Port route(NodeId at, NodeId to) const override { return port(at, to); }

  protected:
    /// For a complete graph of another name. Throws as above.
    Complete(std::string spec, NodeId nodes);
};

}  // namespace kport
