/// @file partition_strands.cpp   A node with several strands in a round: the order in which they send and run.
#include <utility>

#include "emulator/engine/partition.hpp"

namespace kport {

// For the order of sends and runs see Node.

bool Partition::go_on_sending(Node& node, std::span<const SendRequest>& wanted) {
    try {
        wanted = emit_first(node, wanted);
        return true;
    } catch (...) {  // the program is suspended, not running
        note_error(node.id(), std::current_exception());
        return false;
    }
}

bool Partition::go_on_in_strands(Node& node) {
    StrandQueue& queue = NodeAccess::strands(node)->queue;
    StrandQueue before = std::exchange(queue, {});
    StrandQueue behind;
    bool failed = false;
    while (Strand* strand = before.take()) {
        Wait& wait = strand->wait;
        const std::span<const SendRequest> sends = wait.sends();
        std::span<const SendRequest> left = sends;
        if (!failed && !sends.empty()) failed = !go_on_sending(node, left);
        if ((wait.waiting == Waiting::for_round && wait.awaited <= round_) || (!sends.empty() && left.empty()))
            wait = {};
        else if (!sends.empty())
            wait = {left.data(), static_cast<std::uint32_t>(left.size()), Waiting::to_send};
        (!left.empty() && left.size() < sends.size() ? behind : queue).append(strand);
    }
    queue.append(behind);
    return !failed;
}

bool Partition::strands_end(Node& node, bool is_over) {
    const Strands& strands = *NodeAccess::strands(node);
    while (true) {
        if (is_over && has_failed()) return true;
        if (is_over)
            NodeAccess::end_strand(node, pool_);
        else if (strands.now != nullptr)
            NodeAccess::put_off(node);
        Strand* const next = NodeAccess::next_strand(node);
        if (next == nullptr) return NodeAccess::settle_strands(node, pool_);
        NodeAccess::put_on(node, *next);
        is_over = ends(node);
    }
}

}  // namespace kport
