/// @file pipelined_broadcast.hpp   The node program of a broadcast of many packets along a line. Needs <kport/kport.hpp> before it.
#pragma once

namespace kport::example {

/// Packets 0 to packets - 1 of one node, which every node gets: a collective of one's own.
inline Collective packets_for_all(NodeId source, NodeId packets, std::uint64_t packet_bytes) {
    OwnCollective own;
    own.name = "broadcast of many";
    own.packets = packets;
    own.owned = [=](NodeId v) { return v == source ? PacketSet::range(0, packets) : PacketSet(); };
    own.wanted = [=](NodeId) { return PacketSet::range(0, packets); };
    own.packet_bytes = packet_bytes;
    own.noun = "all packets";
    return Collective::custom(own);
}

/// Node 0 sends one packet a round to the right; each node passes on what has come.
inline Program pipelined_broadcast(Node& self, NodeId packets) {
    constexpr Port left = 0;
    constexpr Port right = 1;
    for (NodeId packet = 0; packet < packets; ++packet) {
        if (self.id() != 0) co_await self.receive(left);
        if (self.id() + 1 < self.nodes()) co_await self.send(right, Packet(packet));
    }
}

}  // namespace kport::example
