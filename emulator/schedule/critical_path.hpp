/// @file critical_path.hpp   What a schedule brings each node, and the chain of messages that makes its last receipt late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// Why a message of the chain could not be sent before the one that precedes it there.
enum class Delay : std::uint8_t {
    start,     ///< it is the first of the chain
    packet,    ///< that message brought its sender a packet of it
    sender,    ///< that message took the last send port, or the channel, of its sender
    receiver,  ///< that message took the last receive port of its receiver
};

/// Returns "packet", as in JSON.
[[nodiscard]] std::string_view name(Delay delay);

struct CriticalMessage {
    std::size_t transfer = 0;  ///< index in the schedule
    Round round = 0;
    NodeId from = no_node;
    NodeId to = no_node;
    Delay delay = Delay::start;

    bool operator==(const CriticalMessage&) const = default;
};

/// The chain, in the order of rounds. Empty if nothing moved.
struct CriticalPath {
    std::vector<CriticalMessage> messages;
    std::uint64_t other_rounds = 0;  ///< up to the last receipt, in which no message of the chain moves
    double latency = 0;              ///< sum over its messages

    bool operator==(const CriticalPath&) const = default;
};

/// Returns the chain that ends with the last receipt: of the last round's messages the one of the largest latency, of several the first.
/// Before each message stands the latest earlier message that held it up (Delay); of several in one round the one that brought a
/// packet. A node needs a packet from its first receipt on. Transfers after round `last` are ignored, and those of switches.
///
/// Cost     O(messages log messages), and the packets that the nodes of the chain receive.
/// Memory   16 bytes a message.
[[nodiscard]] CriticalPath critical_path(const Schedule& schedule, const Machine& machine, const Collective& collective,
                                         Round last = std::numeric_limits<Round>::max());

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
