/// @file parts_sent.hpp   Which nodes of a reduction send a part of what they have, or must keep apart what comes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The contributions to a segment that a message carries, as columns of row 0.
[[nodiscard]] PacketSet in_segment(std::span<const PacketBlock> packets, std::uint32_t segment);

/// By node: whether some transfer names fewer contributions to its segments, or others, than its sender has by then, or whether it takes a
/// fold of other contributions than it has in the end (OwnFolds). Such a node
/// must keep apart what came to it; for all others one sum is enough.
///
/// Errors  none for a well-formed schedule.
/// Cost    O(transfers x blocks that their senders have), and a set of contributions a node.
[[nodiscard]] std::vector<bool> senders_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes);

/// By node: whether it keeps apart what comes to it. All do if, in runs (Collective::in_runs), some message has several values of one
/// segment, or a value comes to a node that does not follow what it has, or some fold is taken in order (OwnFolds); else the senders of
/// parts.
///
/// Cost    as senders_of_parts().
[[nodiscard]] std::vector<bool> keepers_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes);

}  // namespace kport
