/// @file knoedel_gossip.hpp   Gossip on Knoedel's graph of the largest degree: which pairs of nodes a node knows after
///                            each round.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/support/fit.hpp"

namespace kport {

/// Exchange along the dimensions 0, 1, ..., D-1, and along 0 again if N is no power of two, D = floor(log2 N). Round 1 makes
/// pairs, left node j and right node j, of h = N / 2. After round i <= D left node j knows the pairs j to j + 2^(i-1) - 1,
/// right node j the pairs j - 2^(i-1) + 1 to j, modulo h: in each round two neighbouring runs join. The last exchange brings
/// the h - 2^(D-1) pairs that are left. Knoedel 1975.
class KnoedelGossip {
  public:
    /// `count` pairs from the first on, modulo h.
    struct Pairs {
        NodeId first;
        NodeId count;
    };

    KnoedelGossip(NodeId nodes, NodeId v)
        : half_(nodes / 2), dimensions_(static_cast<Round>(std::bit_width(nodes)) - 1), left_(v < half_),
          pair_(left_ ? v : v - half_) {}

    /// Returns ceil(log2 N).
    [[nodiscard]] static Round rounds(NodeId nodes) { return static_cast<Round>(std::bit_width(nodes - 1)); }
    /// Returns the dimension of a round, which is also its port.
    [[nodiscard]] Port port(Round round) const { return static_cast<Port>((round - 1) % dimensions_); }

    /// Returns what the node sends in a round, from the second on: all that it knows, or in the last round what is
    /// left.
    [[nodiscard]] Pairs sent(Round round) const {
        if (round <= dimensions_) return run(pair_, NodeId{1} << (round - 2));
        return run((pair_ + (left_ ? 1 : half_ - 1)) % half_, half_ - (NodeId{1} << (dimensions_ - 1)));
    }
    /// Returns the round after which the node knows the packet of a node.
    [[nodiscard]] Round knows(NodeId origin) const {
        if (origin == (left_ ? pair_ : pair_ + half_)) return 0;
        const NodeId pair = origin % half_;
        const NodeId away = (left_ ? pair + half_ - pair_ : pair_ + half_ - pair) % half_;
        return static_cast<Round>(std::bit_width(away)) + 1;
    }

  private:
    /// Returns `count` pairs of which `pair` is the first on the left side, the last on the right side.
    [[nodiscard]] Pairs run(NodeId pair, NodeId count) const {
        return {left_ ? pair : (pair + half_ + 1 - count) % half_, count};
    }

    NodeId half_;
    Round dimensions_;
    bool left_;
    NodeId pair_;
};

[[nodiscard]] inline std::optional<std::string> needs_knoedel(const Machine& machine) {
    const Topology& graph = *machine.topology;
    const bool fits =
        graph.family() == "knoedel" && graph.ports() + 1 == static_cast<Port>(std::bit_width(graph.nodes()));
    return unless(fits, "needs a Knoedel graph of degree floor(log2 N) (knoedel:5,46)");
}

}  // namespace kport
