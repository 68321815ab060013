/// @file parts_sent.hpp   Which nodes of a reduction send a part of what they have.
#pragma once

#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// By node: whether some transfer names fewer contributions to its segments, or others, than its sender has by then. Such a node
/// must keep apart what came to it; for all others one sum is enough.
///
/// Errors  none for a well-formed schedule.
/// Cost    O(transfers x blocks that their senders have), and a set of contributions a node.
[[nodiscard]] std::vector<bool> senders_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes);

}  // namespace kport
