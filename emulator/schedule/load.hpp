/// @file load.hpp   How many messages pass each channel and each node of a machine.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// The messages over one channel, in one direction.
struct ChannelLoad {
    NodeId from = no_node;
    Port port = no_port;  ///< of `from`, of Topology::wires()
    NodeId to = no_node;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;

    bool operator==(const ChannelLoad&) const = default;
};

/// The messages of one node, host or switch.
struct NodeLoad {
    NodeId node = no_node;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t passed_on = 0;  ///< messages of others whose paths lead through it

    [[nodiscard]] std::uint64_t messages() const { return sent + received + passed_on; }
    bool operator==(const NodeLoad&) const = default;
};

/// The load of a machine. Channels and nodes without a message are left out.
struct Load {
    std::vector<ChannelLoad> channels;  ///< ascending by node and port
    std::vector<NodeLoad> nodes;        ///< ascending
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;  ///< a message counted once whatever its path

    /// Return the channel and the node with most messages, of several the first; null if nothing moved.
    [[nodiscard]] const ChannelLoad* busiest_channel() const;
    [[nodiscard]] const NodeLoad* busiest_node() const;
    bool operator==(const Load&) const = default;
};

/// Returns the load by the transfers of the rounds from `first` to `last` between hosts. A message counts on every channel of its path,
/// up to a port that leads nowhere.
///
/// Cost     O(hops log hops); nothing grows with the nodes.
/// Memory   about 80 bytes a channel used.
[[nodiscard]] Load load_of(const Schedule& schedule, const Topology& topology, const Collective& collective,
                           Round first = 1, Round last = std::numeric_limits<Round>::max());

}  // namespace kport
