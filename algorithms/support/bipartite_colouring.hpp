/// @file bipartite_colouring.hpp   Colours of the edges between senders and receivers, as few as the largest degree.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/base/types.hpp"

namespace kport {

/// The edges of a bipartite graph of senders and receivers, of which no two at a node have one colour: D colours do, the largest
/// degree (Koenig 1916).
///
/// Memory   8 D bytes a node.
/// Cost     an edge: O(D + N) at worst, O(1) where no colours are exchanged.
class BipartiteColouring {
  public:
    static constexpr NodeId none = no_node;

    /// For `nodes` senders and as many receivers, each with at most `degree` edges.
    BipartiteColouring(NodeId nodes, std::uint64_t degree);

    /// Adds an edge, once, with the least colour free at its sender. Where its receiver has an edge of that colour, the path of this
    /// colour and one that is free at the receiver exchanges them from there; it never reaches the sender.
    void add(NodeId sender, NodeId receiver);
    [[nodiscard]] std::uint64_t colours() const { return colours_; }
    /// Returns the node to which a sender's edge of that colour leads; none if it has none.
    [[nodiscard]] NodeId receiver(NodeId sender, std::uint64_t colour) const;

  private:
    using Ends = std::vector<std::uint32_t>;  ///< by node and colour: the other end of the edge

    [[nodiscard]] std::uint64_t first_free(const Ends& ends, std::vector<std::uint32_t>& hints, NodeId v) const;
    void exchange(NodeId receiver, std::uint64_t colour, std::uint64_t other);

    std::uint64_t colours_;
    Ends at_sender_;
    Ends at_receiver_;
    std::vector<std::uint32_t> free_at_sender_;  ///< no lower colour is free
    std::vector<std::uint32_t> free_at_receiver_;
};

}  // namespace kport
