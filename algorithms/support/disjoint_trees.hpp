/// @file disjoint_trees.hpp   Spanning trees from a source that share no channel, on meshes and tori, and which packet
///                            goes down them when (model.md section 13.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "algorithms/support/lattice.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// The q trees of a mesh of q sides > 1, one for each dimension. Packet j goes down tree j mod q, and reaches depth d in round
/// floor(j / q) + d.
///
/// Tree i: the parent of a node that differs from the source in dimension i is its neighbour nearer to the source in
/// the last of the dimensions i, i+1, .. (mod q) in which it differs. Any other node is a leaf below its neighbour one
/// step up in dimension i, or down at the border. All parents of a node are different, so no two trees share a channel.
class MeshTrees {
  public:
    MeshTrees(Lattice lattice, const Collective& collective)
        : lattice_(std::move(lattice)), source_(collective.root), m_(collective.packets_each),
          q_(static_cast<std::uint64_t>(lattice_.dimensions())) {}

    /// A link of one tree to a node.
    struct Link {
        NodeId peer;
        std::uint64_t tree;
        std::uint64_t depth;  ///< the receiver's
        /// The receiver is a leaf of the tree that gets the tree's packet of the last group by the next tree, a round
        /// later; this tree brings the packet of the previous tree.
        bool lacks_last;
        bool brings_last;
        std::uint64_t trees;
        std::uint64_t packets;
        [[nodiscard]] std::optional<PacketId> packet(Round round) const;
        [[nodiscard]] Round first_round() const { return static_cast<Round>(depth); }
        [[nodiscard]] Round last_round() const { return static_cast<Round>((packets - 1) / trees + 1 + depth); }
    };
    [[nodiscard]] LinksOfNode<Link> at(NodeId v) const;

    /// Returns the parent of v in a tree.
    [[nodiscard]] NodeId parent(NodeId v, std::uint64_t tree) const;
    [[nodiscard]] Link link(NodeId peer, NodeId receiver, std::uint64_t tree) const;

  private:
    [[nodiscard]] bool differs(NodeId v, std::uint64_t i) const {
        return lattice_.coordinate(v, static_cast<int>(i)) != lattice_.coordinate(source_, static_cast<int>(i));
    }
    [[nodiscard]] std::uint64_t depth(NodeId v, std::uint64_t tree) const;
    /// Whether a leaf of the tree is no leaf of the next one.
    [[nodiscard]] bool is_late(NodeId v, std::uint64_t tree) const {
        return q_ > 1 && !differs(v, tree) && differs(v, (tree + 1) % q_);
    }

    Lattice lattice_;
    NodeId source_;
    std::uint64_t m_;
    std::uint64_t q_;
};

/// The 2 q trees of a torus of q sides > 2, one for each direction D_0, .., D_2q-1 = +1, .., +q, -1, .., -q, in cyclic
/// order. The packets are cut into q blocks; block i goes down tree i in ascending and down tree i + q in descending
/// order, and each node takes a packet from the tree that brings it first.
///
/// Tree m: the parent of a node that differs from the source in D_m's dimension is one step back against the last of
/// the directions D_m, .., D_m+q-1 in whose dimension it differs. Any other node is a leaf one step before that in
/// direction D_m.
class TorusTrees {
  public:
    TorusTrees(Lattice lattice, const Collective& collective)
        : lattice_(std::move(lattice)), source_(collective.root), m_(collective.packets_each),
          q_(static_cast<std::uint64_t>(lattice_.dimensions())) {}

    /// A link of one tree to a node.
    struct Link {
        NodeId peer;
        std::uint64_t depth;     ///< of the receiver in this tree
        std::uint64_t opposite;  ///< and in the other one of the block
        bool ascends;
        PacketId first;      ///< of the block
        std::uint64_t size;  ///< of the block
        [[nodiscard]] std::optional<PacketId> packet(Round round) const;
        [[nodiscard]] Round first_round() const { return static_cast<Round>(depth); }
        /// Returns the last round; then it meets what comes down the other tree.
        [[nodiscard]] Round last_round() const {
            return size == 0 ? 0 : static_cast<Round>(std::min(depth + size - 1, (depth + opposite + size - 1) / 2));
        }
    };
    [[nodiscard]] LinksOfNode<Link> at(NodeId v) const;
    /// Returns the number of rounds until the last node has every block. O(N q^2).
    [[nodiscard]] std::uint64_t rounds() const;

    /// Returns the parent of v in a tree.
    [[nodiscard]] NodeId parent(NodeId v, std::uint64_t tree) const;
    [[nodiscard]] Link link(NodeId peer, NodeId receiver, std::uint64_t tree) const;

  private:
    [[nodiscard]] int dimension(std::uint64_t direction) const { return static_cast<int>(direction % q_); }
    /// Returns how far v is from the source in a direction, around the ring.
    [[nodiscard]] NodeId ahead(NodeId v, std::uint64_t direction) const;
    [[nodiscard]] NodeId step(NodeId v, std::uint64_t direction, bool forth) const;
    [[nodiscard]] std::uint64_t depth(NodeId v, std::uint64_t tree) const;

    Lattice lattice_;
    NodeId source_;
    std::uint64_t m_;
    std::uint64_t q_;
};

/// The program of a rule's broadcast, on machines with all ports.
template <class Rule>
[[nodiscard]] Start broadcast_along(Rule rule, NodeId source) {
    const auto shared = std::make_shared<const Rule>(std::move(rule));
    return start_of_timetable([shared](Node& self) { return broadcast_by_timetable(self, *shared); }, source);
}

/// The packets floor(b M / P) to floor((b+1) M / P) - 1: block b of P (model.md section 13).
struct BlockOfPackets {
    std::uint64_t first;
    std::uint64_t last;  ///< end, exclusive
    [[nodiscard]] std::uint64_t size() const { return last - first; }
};
[[nodiscard]] inline BlockOfPackets block_of_packets(std::uint64_t b, std::uint64_t m, std::uint64_t blocks) {
    const auto begin = [&](std::uint64_t i) { return i * (m / blocks) + i * (m % blocks) / blocks; };
    return {begin(b), begin(b + 1)};
}

}  // namespace kport
