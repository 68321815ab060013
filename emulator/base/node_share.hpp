/// @file node_share.hpp   Which of a machine's nodes are a process's own.
#pragma once

#include <algorithm>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// Nodes are dealt in blocks of 2^block_bits, in turn, to `dealt_to` (a power of two); its own are those dealt to `first`
/// up to, not including, `end`. By default: all nodes.
struct NodeShare {
    unsigned block_bits = 0;
    unsigned dealt_to = 1;
    unsigned first = 0;
    unsigned end = 1;

    [[nodiscard]] bool contains(NodeId v) const {
        const auto to = static_cast<unsigned>(v >> block_bits) & (dealt_to - 1);
        return to >= first && to < end;
    }
    /// Calls visit(v) for each own node, of so many in all, in ascending order.
    template <class Visit>
    void for_each(NodeId nodes, Visit&& visit) const {
        const NodeId block = NodeId{1} << block_bits;
        for (NodeId turn = 0; turn < nodes; turn += block * dealt_to)
            for (NodeId v = turn + first * block; v < std::min(turn + end * block, nodes); ++v) visit(v);
    }
};

}  // namespace kport
