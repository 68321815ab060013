/// @file node_share.hpp   Which nodes a process owns, the index at which it stores data of each, and arrays of such data.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// Block-cyclic distribution: blocks of 2^block_bits nodes go round-robin to `hands` partitions (a power of two, at
/// most 64); of these, process `taker` owns every takers-th. By default there is one process, which owns all nodes.
class NodeShare {
  public:
    NodeShare() = default;
    /// For process `taker` of 0 .. takers - 1.
    NodeShare(unsigned block_bits, unsigned hands, unsigned takers, unsigned taker)
        : is_whole_(takers == 1), is_even_(std::has_single_bit(takers) && takers <= hands), block_bits_(block_bits),
          hand_bits_(static_cast<unsigned>(std::countr_zero(hands))),
          taker_bits_(static_cast<unsigned>(std::countr_zero(takers))), in_block_(block() - 1),
          reciprocal_((one + takers - 1) / takers), own_(0) {
        for (unsigned hand = taker; hand < hands; hand += takers) own_ |= std::uint64_t{1} << hand;
        own_hands_ = static_cast<unsigned>(std::popcount(own_));
    }

    /// Returns the process's partitions, a bit each.
    [[nodiscard]] std::uint64_t own() const { return own_; }
    [[nodiscard]] bool contains(NodeId v) const { return (own_ >> hand_of(v) & 1) != 0; }

    /// Returns the index of an own node: own nodes are numbered consecutively in ascending order; with one process the
    /// index is the node. Undefined for other nodes. Inline: called several times for each message.
    [[nodiscard, gnu::always_inline]] std::uint64_t place(NodeId v) const {
        if (is_whole_) [[likely]]
            return v;
        return is_even_ ? (v >> taker_bits_ & ~in_block_) | (v & in_block_) : place_among_any(v);
    }
    /// Returns the number of indices that the own nodes among the first `nodes` need: whole blocks if there are several
    /// processes.
    [[nodiscard]] std::uint64_t places(NodeId nodes) const {
        if (is_whole_) return nodes;
        const NodeId blocks = (nodes + block() - 1) >> block_bits_;
        const std::uint64_t in_last_turn = (std::uint64_t{1} << (blocks & (hands() - 1))) - 1;
        const auto rest = static_cast<unsigned>(std::popcount(own_ & in_last_turn));
        return ((blocks >> hand_bits_) * own_hands_ + rest) << block_bits_;
    }

    /// Calls visit(v) for each own node among `nodes`, in ascending order.
    template <class Visit>
    void for_each(NodeId nodes, Visit&& visit) const {
        for (NodeId turn = 0; turn < nodes; turn += block() * hands())
            for (std::uint64_t rest = own_; rest != 0; rest &= rest - 1) {
                const NodeId first = turn + static_cast<NodeId>(std::countr_zero(rest)) * block();
                for (NodeId v = first; v < std::min(first + block(), nodes); ++v) visit(v);
            }
    }

  private:
    [[nodiscard, gnu::noinline]] std::uint64_t place_among_any(NodeId v) const {
        const NodeId own_block =
            (v >> (block_bits_ + hand_bits_)) * own_hands_ + (hand_of(v) * reciprocal_ >> one_bits);
        return own_block << block_bits_ | (v & in_block_);
    }
    [[nodiscard]] NodeId block() const { return NodeId{1} << block_bits_; }
    [[nodiscard]] NodeId hands() const { return NodeId{1} << hand_bits_; }
    [[nodiscard]] NodeId hand_of(NodeId v) const { return v >> block_bits_ & (hands() - 1); }

    static constexpr unsigned one_bits = 16;
    static constexpr unsigned one = 1U << one_bits;

    bool is_whole_ = true;
    bool is_even_ = true;  ///< the number of processes is a power of two, and each has a partition
    unsigned block_bits_ = 0;
    unsigned hand_bits_ = 0;
    unsigned taker_bits_ = 0;
    NodeId in_block_ = 0;  ///< mask of the bits of a number that distinguish the nodes of a block
    unsigned own_hands_ = 1;
    NodeId reciprocal_ = one;  ///< of takers, in 2^-16: exact enough to divide hands, which are at most 64
    std::uint64_t own_ = 1;
};

/// Indexed by node. Only the process's own nodes have values; access to others is undefined.
///
/// Callers, errors   as HugeArray.
template <class T>
class NodeArray {
  public:
    NodeArray() = default;
    /// Zeros for the own nodes among so many.
    explicit NodeArray(NodeId nodes, const NodeShare& share = {}) : share_(share), values_(share.places(nodes)) {}

    [[nodiscard]] bool empty() const { return values_.size() == 0; }
    // Inline: called several times for each message.
    [[gnu::always_inline]] T& operator[](NodeId v) { return values_[share_.place(v)]; }
    [[gnu::always_inline]] const T& operator[](NodeId v) const { return values_[share_.place(v)]; }

  private:
    NodeShare share_;
    HugeArray<T> values_;
};

}  // namespace kport
