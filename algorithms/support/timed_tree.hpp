/// @file timed_tree.hpp   A tree with a round for each of its links: to its root and back, the middle rounds in one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/support/euler_tour.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

/// A broadcast from a root in which each node gets one message: its sender and its round. Reversed in time it is a
/// gather. Some nodes of a node's subtree are served before others: its children are in the order of their rounds, no
/// two of one parent in the same round.
///
/// Memory   bytes_per_node.  Cost O(links + N log N) to build.
/// Callers  any thread, after construction.
class TimedTree {
  public:
    /// Along the links of the shortest-path tree, first to the child whose subtree needs the longest through one port.
    /// `members`: subtrees without one are left out; null: none is.
    [[nodiscard]] static TimedTree farthest_first(const Topology& topology, NodeId root,
                                                  const RankedNodes* members = nullptr);
    /// Recursive doubling on the preorder of that tree, keeping the greater part; along tree paths, no two of which
    /// share a channel in a round (EulerTour).
    /// Of all nodes: `members` is not looked at.
    [[nodiscard]] static TimedTree along_euler_tour(const Topology& topology, NodeId root,
                                                    const RankedNodes* members = nullptr);

    [[nodiscard]] NodeId root() const { return root_; }
    [[nodiscard]] Round rounds() const { return rounds_; }
    /// Returns the round in which a node is served; the root's is 0.
    [[nodiscard]] Round served(NodeId v) const { return served_[v]; }
    /// Returns the node that serves it; the root's is itself.
    [[nodiscard]] NodeId parent(NodeId v) const { return parent_[v]; }
    [[nodiscard]] std::span<const std::uint32_t> children(NodeId v) const {
        return {children_.data() + first_child_[v], first_child_[v + 1] - first_child_[v]};
    }
    /// Returns the ports of the path between a node and one of its children, in either direction; empty if it is a
    /// link.
    [[nodiscard]] std::vector<Port> route(NodeId from, NodeId to) const {
        return tour_ ? tour_->route(from, to) : std::vector<Port>();
    }
    [[nodiscard]] Hops hops(NodeId from, NodeId to) const { return tour_ ? tour_->route(from, to).size() : 1; }
    /// Whether the tree has the node.
    [[nodiscard]] bool has(NodeId v) const { return v == root_ || served_[v] != 0; }
    /// Returns its nodes in the order in which they are served.
    [[nodiscard]] std::vector<std::uint32_t> in_order() const;

    static constexpr std::uint64_t bytes_per_node = 16 + EulerTour::bytes_per_node;

  private:
    TimedTree(NodeId nodes, NodeId root) : root_(root), served_(nodes), parent_(nodes), first_child_(nodes + 1) {
        parent_[root] = static_cast<std::uint32_t>(root);
    }
    void serve(NodeId parent, NodeId child, Round round);
    void list_children();

    NodeId root_;
    Round rounds_ = 0;
    std::vector<Round> served_;
    std::vector<std::uint32_t> parent_;
    std::vector<std::uint32_t> first_child_;  ///< index of a node's first child; N + 1 entries
    std::vector<std::uint32_t> children_;
    std::shared_ptr<const EulerTour> tour_ = nullptr;  ///< null: paths are links
};

}  // namespace kport
