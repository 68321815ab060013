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

}  // namespace kport
