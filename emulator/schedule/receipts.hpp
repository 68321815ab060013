/// @file receipts.hpp   What a schedule brought each node: its first message, and all packets.
#pragma once

#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// The first message that a node received: of the earliest round, then of the lowest sender, then by the lowest port.
struct FirstReceipt {
    Round round = 0;  ///< 0: it received none
    Port port = no_port;
    NodeId from = no_node;

    bool operator==(const FirstReceipt&) const = default;
};

/// By node. Of a run: RunOptions::recorded_schedule.
///
/// Errors   RequestError where require_well_formed() throws it. Whether the transfers keep the rules is for an auditor to
///          say; one by a path that ends elsewhere came by no_port.
/// Cost     O(nodes + hops).
[[nodiscard]] std::vector<FirstReceipt> first_receipts(const Schedule& schedule, const Topology& topology);

/// By node: what it owned at the start and what it received; of a reduction the contributions. What it has passed on
/// (Node::pass) is among them. Of contents (Collective::none()) there is nothing to hold.
///
/// Errors   as first_receipts(); RequestError for packets that the operation does not have, or that stand twice in a
///          transfer.
/// Cost     O(nodes + transfers x blocks that their receiver holds).
[[nodiscard]] std::vector<PacketSet> holdings(const Schedule& schedule, const Collective& collective,
                                              const Topology& topology);

}  // namespace kport
