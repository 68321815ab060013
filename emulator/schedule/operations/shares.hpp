/// @file shares.hpp   Which node has which packets, for the records of operations.
#pragma once

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::shares {

inline PacketBlock from_to(NodeId row, NodeId rows, NodeId column, NodeId columns) {
    return {static_cast<std::uint32_t>(column), 1, static_cast<std::uint32_t>(columns),
            static_cast<std::uint32_t>(row),    1, static_cast<std::uint32_t>(rows)};
}

/// Returns the packets of consecutive nodes, or their contributions to all segments.
inline PacketSet some(const Collective& c, NodeId first, NodeId count) {
    return from_to(0, c.packets_each, first, count);
}
inline PacketSet all_copies(const Collective& c) { return from_to(0, 1, 0, c.packets_each); }

inline PacketCounts of_source(const Collective& c, NodeId) { return {1, c.packets_each}; }
inline PacketCounts of_each_node(const Collective& c, NodeId nodes) { return {c.packets_each, nodes}; }
inline PacketCounts of_each_pair(const Collective& c, NodeId nodes) { return {c.packets_each * nodes, nodes}; }
inline PacketCounts bytes_of_contents(const Collective&, NodeId) { return {1, contents_bytes_max}; }

inline PacketSet all_at_root(const Collective& c, NodeId v, NodeId nodes) {
    return v == c.root ? some(c, 0, nodes) : PacketSet();
}
inline PacketSet packets_at_root(const Collective& c, NodeId v, NodeId) {
    return v == c.root ? all_copies(c) : PacketSet();
}
inline PacketSet packets(const Collective& c, NodeId, NodeId) { return all_copies(c); }
inline PacketSet own(const Collective& c, NodeId v, NodeId) { return some(c, v, 1); }
inline PacketSet everything(const Collective& c, NodeId, NodeId nodes) { return some(c, 0, nodes); }
inline PacketSet up_to_own(const Collective& c, NodeId v, NodeId) { return some(c, 0, v + 1); }
inline PacketSet before_own(const Collective& c, NodeId v, NodeId) { return v == 0 ? PacketSet() : some(c, 0, v); }
inline PacketSet from_node(const Collective& c, NodeId v, NodeId nodes) {
    return from_to(v * c.packets_each, c.packets_each, 0, nodes);
}
inline PacketSet to_node(const Collective& c, NodeId v, NodeId nodes) {
    return from_to(0, nodes * c.packets_each, v, 1);
}
inline PacketSet nothing(const Collective&, NodeId, NodeId) { return {}; }

}  // namespace kport::shares
