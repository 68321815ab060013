/// @file host_tour.hpp   The hosts of a machine with switches in the order of a walk around a tree of switches.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/topology/fabric.hpp"

namespace kport {

/// Numbers the hosts in depth-first order, the source first. If one connected set of switches joins all hosts, the tree
/// consists of such switches, and hosts are its leaves; else of any nodes, for wormhole messages. Tree paths within disjoint
/// intervals of the cyclic order use disjoint channels, if links are full duplex.
/// Source   docs/model.md, machines with switches.
///
/// Memory   bytes_per_node for each host and switch.  Cost O(links) to build.
/// Callers  any thread, after construction.
class HostTour {
  public:
    HostTour(const Fabric& fabric, NodeId source);

    [[nodiscard]] std::uint64_t number(NodeId host) const { return number_[host]; }
    [[nodiscard]] NodeId node(std::uint64_t number) const { return order_[number]; }
    /// Returns the ports of the tree path, via the lowest common ancestor.
    [[nodiscard]] std::vector<Port> route(NodeId from, NodeId to) const;

    static constexpr std::uint64_t bytes_per_node = 24;

  private:
    void grow(const Fabric& fabric, NodeId root, bool through_hosts);
    void put_in_order(const Fabric& fabric, NodeId root, NodeId source);

    std::vector<std::uint32_t> parent_;
    std::vector<std::uint32_t> depth_;
    std::vector<Port> up_;    ///< the port of a node that leads to its parent
    std::vector<Port> down_;  ///< the port of its parent that leads to it
    std::vector<std::uint32_t> number_;
    std::vector<std::uint32_t> order_;
};

}  // namespace kport
