/// @file euler_tour.hpp   Depth-first numbers of a spanning tree and the tree paths between nodes (model.md section 10, 1 i).
#pragma once

#include <vector>

#include "algorithms/support/segment.hpp"
#include "algorithms/support/spanning_tree.hpp"

namespace kport {

/// The nodes in the preorder of the shortest-path tree from a source. Tree paths within disjoint intervals of numbers use
/// disjoint parts of the Euler tour: no channel is shared, if links are full duplex.
///
/// Memory   bytes_per_node.  Cost O(links) to build.
/// Callers  any thread, after construction.
class EulerTour {
  public:
    EulerTour(const Topology& topology, NodeId source)
        : topology_(topology), tree_(topology, source), preorder_(tree_, topology.nodes()) {}

    [[nodiscard]] std::uint64_t number(NodeId v) const { return preorder_.number(v); }
    [[nodiscard]] NodeId node(std::uint64_t number) const { return preorder_.node(number); }
    /// Returns the ports of the tree path, via the lowest common ancestor.
    [[nodiscard]] std::vector<Port> route(NodeId from, NodeId to) const;
    [[nodiscard]] PacketSet packets_for(const Segment& numbers) const { return preorder_.packets_for(numbers); }

    static constexpr std::uint64_t bytes_per_node = SpanningTree::bytes_per_node + Preorder::bytes_per_node;

  private:
    const Topology& topology_;
    SpanningTree tree_;
    Preorder preorder_;
};

inline std::vector<Port> EulerTour::route(NodeId from, NodeId to) const {
    std::vector<Port> up;
    std::vector<Port> down;
    while (from != to) {
        // The node with the larger preorder number is never an ancestor of the other.
        if (number(from) > number(to)) {
            up.push_back(topology_.port_to(from, tree_.parent(from)));
            from = tree_.parent(from);
        } else {
            down.push_back(topology_.port_to(tree_.parent(to), to));
            to = tree_.parent(to);
        }
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

}  // namespace kport
