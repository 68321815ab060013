/// @file spanning_tree.hpp   The shortest-path tree that the tree algorithms share: lowest numbered parents.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/support/segment.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// Returns the parent of v in the shortest-path tree from `source`: its lowest numbered neighbour nearer to the source.
/// Computed without a table, O(degree); v != source.
[[nodiscard]] NodeId nearer_neighbour(const Topology& topology, NodeId source, NodeId v);
/// Whether that is w, a neighbour of v nearer to the source. O(1) if it is not and the ports of v are in the order of
/// its neighbours, else O(ports).
[[nodiscard]] bool is_nearer_neighbour(const Topology& topology, NodeId source, NodeId v, NodeId w);

/// That tree as a table, with an order of the children of every node.
///
/// Memory   16 bytes a node.  Cost O(links) to build (breadth first, until all nodes are found).
/// Callers  any thread, after construction.
class SpanningTree {
  public:
    /// Children in ascending order of their numbers.
    SpanningTree(const Topology& topology, NodeId source);

    /// Orders the children of each node by decreasing b, the rounds that k ports need to inform their subtree (model.md
    /// section 3.3), lower numbers first among equals. Returns b of the source.
    std::uint64_t order_farthest_first(Port ports);

    /// Leaves out the subtrees in which no node is wanted.
    void keep_ways_to(const std::function<bool(NodeId)>& is_wanted);

    /// Returns the round in which a broadcast that serves children in order reaches each node; the source's is 0.
    [[nodiscard]] std::vector<std::uint32_t> told_in(Port ports) const;
    /// Returns the size of each subtree, its root included.
    [[nodiscard]] std::vector<std::uint32_t> sizes() const;

    [[nodiscard]] NodeId source() const { return source_; }
    /// Returns its nodes in breadth-first order.
    [[nodiscard]] std::span<const std::uint32_t> nodes() const { return found_; }
    /// Returns the parent; the source's is itself.
    [[nodiscard]] NodeId parent(NodeId v) const { return parent_[v]; }
    [[nodiscard]] std::span<const std::uint32_t> children(NodeId v) const {
        return {children_.data() + first_child_[v], first_child_[v + 1] - first_child_[v]};
    }

    static constexpr std::uint64_t bytes_per_node = 16;

  private:
    /// Those in found_, in ascending order of their numbers.
    void list_children();

    NodeId source_;
    std::vector<std::uint32_t> parent_;
    std::vector<std::uint32_t> found_;        ///< nodes in breadth-first order
    std::vector<std::uint32_t> first_child_;  ///< index of a node's first child; N + 1 entries
    std::vector<std::uint32_t> children_;
};

/// A spanning tree's nodes in depth-first preorder, children in the tree's order: the numbering of the Euler tour
/// scheme.
class Preorder {
  public:
    explicit Preorder(const SpanningTree& tree, NodeId nodes);
    [[nodiscard]] std::uint64_t number(NodeId v) const { return number_[v]; }
    [[nodiscard]] NodeId node(std::uint64_t number) const { return node_[number]; }
    /// Returns the packets for the nodes with these numbers. O(size log size); few blocks where the topology is
    /// regular.
    [[nodiscard]] PacketSet packets_for(const Segment& numbers) const;

    static constexpr std::uint64_t bytes_per_node = 8;

  private:
    std::vector<std::uint32_t> number_;
    std::vector<std::uint32_t> node_;
};

}  // namespace kport
