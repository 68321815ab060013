/// @file node_share.hpp   Which of a machine's nodes are a process's own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// Nodes are dealt in blocks of 2^block_bits, in turn, to `dealt_to` (a power of two, at most 64); its own are those dealt to the
/// members of `own`, a bit each. By default: all nodes.
struct NodeShare {
    unsigned block_bits = 0;
    unsigned dealt_to = 1;
    std::uint64_t own = 1;

    [[nodiscard]] bool contains(NodeId v) const {
        const auto to = static_cast<unsigned>(v >> block_bits) & (dealt_to - 1);
        return (own >> to & 1) != 0;
    }
    /// Calls visit(v) for each own node, of so many in all, in ascending order.
    template <class Visit>
    void for_each(NodeId nodes, Visit&& visit) const {
        const NodeId block = NodeId{1} << block_bits;
        for (NodeId turn = 0; turn < nodes; turn += block * dealt_to)
            for (std::uint64_t rest = own; rest != 0; rest &= rest - 1) {
                const NodeId first = turn + static_cast<NodeId>(std::countr_zero(rest)) * block;
                for (NodeId v = first; v < std::min(first + block, nodes); ++v) visit(v);
            }
    }
};

}  // namespace kport
