/// @file route_choice.hpp   The shortest routes of a message, of which adaptive routing takes the first that is free.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "emulator/machine/machine.hpp"

namespace kport {

/// Searches the shortest routes between two hosts in the order of ports: through any nodes on wormhole machines, else through
/// switches.
///
/// Callers   any thread.
/// Cost      O(channels on shortest routes) a search, and what distances of the graph cost.
class RouteChoice {
  public:
    /// Whether the channel that leaves a node by a port has room.
    using IsFree = std::function<bool(NodeId, Port)>;

    /// The machine's topology must outlive the choice.
    explicit RouteChoice(const Machine& machine);

    /// Returns the links of the shortest routes from a node to a host that one message reaches from there.
    [[nodiscard]] Hops links(NodeId from, NodeId to) const;
    /// Writes the first route whose channels are all free. Returns false, with an empty route, where there is none.
    [[nodiscard]] bool first_free(NodeId from, NodeId to, const IsFree& is_free, std::vector<Port>& route) const;
    /// Writes the first route.
    void first(NodeId from, NodeId to, std::vector<Port>& route) const;

  private:
    using Nodes = std::unordered_set<NodeId>;

    /// Returns the lowest free port from `port` on by which `left` links remain to the end; no_port where there is none.
    [[nodiscard]] Port next_port(NodeId at, Port port, NodeId to, Hops left, const Nodes& dead,
                                 const IsFree& is_free) const;

    const Topology& wires_;
    const Fabric* through_;  ///< messages pass its switches only; null: any nodes
};

}  // namespace kport
