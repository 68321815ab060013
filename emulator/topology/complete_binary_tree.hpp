/// @file complete_binary_tree.hpp   CBT_h: the heap-numbered complete binary tree.
#pragma once

#include <bit>
#include <optional>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The complete binary tree of height h, 2^(h+1) - 1 nodes: root 0, children of v are 2v+1 and 2v+2.
/// Port 0 leads to the parent, 1 to the left child, 2 to the right child; the root lacks port 0, leaves lack 1 and 2.
class CompleteBinaryTree final : public Topology {
  public:
    static constexpr int height_max = 39;
    static constexpr NodeId root = 0;
    static constexpr Port parent_port = 0;
    static constexpr Port left_port = 1;
    static constexpr Port right_port = 2;

    /// Throws RequestError unless 0 <= height <= height_max. cbt:0 is one node without links.
    explicit CompleteBinaryTree(std::uint64_t height);

    /// Returns h: links from the root to a leaf.
    [[nodiscard]] int height() const { return static_cast<int>(std::bit_width(nodes())) - 1; }
    /// Returns the number of links from the root to v.
    [[nodiscard]] static int depth(NodeId v) { return static_cast<int>(std::bit_width(v + 1)) - 1; }
    [[nodiscard]] bool is_leaf(NodeId v) const { return v >= nodes() / 2; }
    /// Returns the parent of v != root.
    [[nodiscard]] static NodeId parent(NodeId v) { return (v - 1) / 2; }
    /// Returns the left child of v, which must not be a leaf.
    [[nodiscard]] static NodeId left(NodeId v) { return 2 * v + 1; }
    /// Returns the right child of v, which must not be a leaf.
    [[nodiscard]] static NodeId right(NodeId v) { return 2 * v + 2; }
    /// Returns the port of the parent that leads to v != root: left children are odd.
    [[nodiscard]] static Port port_from_parent(NodeId v) { return v % 2 == 1 ? left_port : right_port; }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (p == parent_port) return v == root ? LinkEnd{} : LinkEnd{parent(v), port_from_parent(v)};
        return is_leaf(v) ? LinkEnd{} : LinkEnd{2 * v + p, parent_port};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if (v != root && w == parent(v)) return parent_port;
        return w != root && parent(w) == v ? port_from_parent(w) : no_port;
    }
    [[nodiscard]] Port degree(NodeId v) const override { return (v == root ? 0U : 1U) + (is_leaf(v) ? 0U : 2U); }
    [[nodiscard]] Port max_degree() const override;
    [[nodiscard]] std::uint64_t channels() const override { return 2 * (nodes() - 1); }

    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override;
    /// Up to the root and down to a leaf of the other half.
    [[nodiscard]] Hops eccentricity(NodeId v) const override { return static_cast<Hops>(height() + depth(v)); }
    [[nodiscard]] Hops diameter() const override { return static_cast<Hops>(2 * height()); }
    /// O(h^2).
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override;
    /// O(h).
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId v) const override;
    [[nodiscard]] Hops radius() const override { return static_cast<Hops>(height()); }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return height() == 0; }
    [[nodiscard]] bool bipartite() const override { return true; }

    [[nodiscard]] Port route(NodeId at, NodeId to) const override;
};

}  // namespace kport
