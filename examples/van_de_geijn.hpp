/// @file van_de_geijn.hpp   The node program of a broadcast by scatter and allgather. Needs <kport/kport.hpp> before it.
#pragma once

#include <bit>

namespace kport::example {

/// The message of node 0 is cut into a packet for each node of a hypercube. A scatter gives each node its own, by halves of
/// the machine; an allgather gives it the others, by exchanges across one dimension after the other.
inline Program van_de_geijn(Node& self) {
    const NodeId v = self.id();
    const auto dimensions = static_cast<Port>(std::countr_zero(self.nodes()));
    const Port upwards = v == 0 ? dimensions : static_cast<Port>(std::countr_zero(v));
    if (v != 0) co_await self.receive(upwards);
    for (Port d = upwards; d-- > 0;) {
        const NodeId half = NodeId{1} << d;
        const PacketSet packets = PacketSet::range(v + half, v + 2 * half);
        co_await self.send(d, packets);
    }
    for (Port d = 0; d < dimensions; ++d) {
        const NodeId first = v >> d << d;
        const PacketSet packets = PacketSet::range(first, first + (NodeId{1} << d));
        co_await self.send(d, packets);
        co_await self.receive(d);
    }
}

}  // namespace kport::example
