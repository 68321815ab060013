/// @file euler_tour.hpp   Depth-first numbers of a spanning tree and the tree paths between nodes (model.md section 10, 1 i).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/support/fit.hpp"
#include "algorithms/support/host_tour.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/spanning_tree.hpp"

namespace kport {

/// For programs that send along an Euler tour: whether messages may take its paths.
[[nodiscard]] inline std::optional<std::string> needs_tour(const Machine& machine) {
    const Fabric* fabric = machine.topology->fabric();
    if (fabric == nullptr) return needs_wh(machine);
    return unless(machine.switching == Switching::wormhole || fabric->joins_all_hosts(),
                  "needs wormhole switching, or one connected set of switches on which all hosts are");
}

/// The nodes in the preorder of the shortest-path tree from a source; in a fabric the hosts around a tree of switches
/// (HostTour). Tree paths within disjoint intervals of numbers use disjoint parts of the Euler tour: no channel is shared,
/// if links are full duplex.
///
/// Memory   bytes_per_node.  Cost O(links) to build.
/// Callers  any thread, after construction.
class EulerTour {
  public:
    EulerTour(const Topology& topology, NodeId source) : topology_(topology) {
        if (topology.fabric() != nullptr) {
            hosts_ = std::make_unique<HostTour>(*topology.fabric(), source);
        } else {
            tree_ = std::make_unique<SpanningTree>(topology, source);
            preorder_ = std::make_unique<Preorder>(*tree_, topology.nodes());
        }
    }

    [[nodiscard]] std::uint64_t number(NodeId v) const { return hosts_ ? hosts_->number(v) : preorder_->number(v); }
    [[nodiscard]] NodeId node(std::uint64_t number) const {
        return hosts_ ? hosts_->node(number) : preorder_->node(number);
    }
    /// Returns the ports of the tree path, via the lowest common ancestor.
    [[nodiscard]] std::vector<Port> route(NodeId from, NodeId to) const;
    /// Returns the packets for the nodes with these numbers.
    [[nodiscard]] PacketSet packets_for(const Segment& numbers) const;

    static constexpr std::uint64_t bytes_per_node = SpanningTree::bytes_per_node + Preorder::bytes_per_node;

  private:
    const Topology& topology_;
    std::unique_ptr<const SpanningTree> tree_;
    std::unique_ptr<const Preorder> preorder_;
    std::unique_ptr<const HostTour> hosts_;  ///< in a fabric, instead of both
};

inline PacketSet EulerTour::packets_for(const Segment& numbers) const {
    if (!hosts_) return preorder_->packets_for(numbers);
    PacketSet packets;
    for (std::uint64_t i = numbers.first; i < numbers.last; ++i)
        packets.add(PacketBlock{static_cast<std::uint32_t>(hosts_->node(i))});
    return packets;
}

inline std::vector<Port> EulerTour::route(NodeId from, NodeId to) const {
    if (hosts_) return hosts_->route(from, to);
    std::vector<Port> up;
    std::vector<Port> down;
    while (from != to) {
        // The node with the larger preorder number is never an ancestor of the other.
        if (number(from) > number(to)) {
            up.push_back(topology_.port_to(from, tree_->parent(from)));
            from = tree_->parent(from);
        } else {
            down.push_back(topology_.port_to(tree_->parent(to), to));
            to = tree_->parent(to);
        }
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

}  // namespace kport
