/// @file payload.hpp   The bytes that nodes hold, compared with what the transfers brought them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/payload/packet_places.hpp"
#include "emulator/payload/packet_store.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// Compares a node's bytes. What the auditor was shown to come to it must be there, and what it owns, too. `has_own` false: a
/// node that never started owns its packets as any other (model.md section 1), but their bytes were not made.
/// Different nodes by different tasks.
[[nodiscard]] PayloadCheck checked_payload(const PacketStore& store, bool has_own, const Collective& collective,
                                           NodeId nodes, NodeId v, const Auditor& auditor);
/// checked_payload() of a broadcast; `holds`: bytes were written to the node's memory. In line: it is asked of every node, and there is
/// little to do.
[[nodiscard]] inline PayloadCheck checked_payload(const PacketMemory& memory, bool holds, const Collective& collective,
                                                  NodeId v, const Auditor& auditor) {
    PayloadCheck check;
    check.node = v;
    const bool must = auditor.must_hold_packet(v);
    if (!holds) {
        if (!must) return check;
        check.missing = 0;
        check.lacking = 1;
        return check;
    }
    if (must && v != collective.root) {
        check.packets = 1;
        check.bytes = collective.packet_bytes;
    }
    if (memory.intact(v)) [[likely]]
        return check;
    check.differs = 0;
    check.byte = memory.first_difference(v).value_or(0);
    check.lacking = must ? 1 : 0;
    return check;
}

/// Compares the bytes of all nodes: check(v) makes a PayloadCheck, and the auditor is told of it. Nearly all nodes of a broadcast
/// have one packet, and the right one: has_right_packet(v) says so of them, of `packet_bytes`, and nothing else is made of them.
/// for_index(count, body) calls body(i) for 0 <= i < count, in any order or at once.
template <class HasRightPacket, class Check, class ForIndex>
void verify_payload(NodeId nodes, Auditor& auditor, std::uint64_t packet_bytes, const HasRightPacket& has_right_packet,
                    const Check& check, const ForIndex& for_index) {
    constexpr NodeId grain = NodeId{1} << 14;
    struct Piece {
        PayloadCheck all_right;  ///< the sums of those with which nothing is wrong
        std::vector<PayloadCheck> wrong;
    };
    std::vector<Piece> pieces((nodes + grain - 1) / grain);
    for_index(pieces.size(), [&](std::size_t i) {
        std::uint64_t right = 0;
        const NodeId end = std::min(nodes, (i + 1) * grain);
        for (NodeId v = i * grain;; ++v) {
            // A loop of its own, in which nothing changes: what all nodes have in common is looked at once.
            const NodeId first = v;
            while (v < end && has_right_packet(v)) ++v;
            right += v - first;
            if (v == end) break;
            PayloadCheck one = check(v);
            if (one.lacking > 0 || one.differs) {
                pieces[i].wrong.push_back(one);
                continue;
            }
            pieces[i].all_right.packets += one.packets;
            pieces[i].all_right.bytes += one.bytes;
        }
        pieces[i].all_right.packets += right;
        pieces[i].all_right.bytes += right * packet_bytes;
    });
    for (const Piece& piece : pieces) {
        auditor.checked(piece.all_right);
        for (const PayloadCheck& one : piece.wrong) auditor.checked(one);
    }
}

}  // namespace kport
