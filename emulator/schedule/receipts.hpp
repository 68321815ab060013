/// @file receipts.hpp   What a schedule brings each node: its first message, and all packets.
#pragma once

#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// The first message that a node received: of the earliest round, then from the lowest sender, then by the lowest port.
struct FirstReceipt {
    Round round = 0;  ///< 0: it received none
    Port port = no_port;
    NodeId from = no_node;

    bool operator==(const FirstReceipt&) const = default;
};

/// Returns the first receipt of each node. For a run, use RunOptions::recorded_schedule.
///
/// Errors   as require_well_formed(). The rules are not checked; a message whose path ends elsewhere came by no_port.
/// Cost     O(nodes + hops).
[[nodiscard]] std::vector<FirstReceipt> first_receipts(const Schedule& schedule, const Topology& topology);

/// Returns, by node, what it owned at the start and what it received; in a reduction the contributions. Packets that it
/// has passed on (Node::pass) are included. Empty for contents (Collective::none()).
///
/// Errors   as first_receipts(); RequestError for packets that the operation does not have, or that occur twice in a
///          transfer.
/// Cost     O(nodes + transfers x blocks that their receiver holds).
[[nodiscard]] std::vector<PacketSet> holdings(const Schedule& schedule, const Collective& collective,
                                              const Topology& topology);

}  // namespace kport
