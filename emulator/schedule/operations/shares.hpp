/// @file shares.hpp   Who has which packets, as the records of operations say it.
#pragma once

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::shares {

inline PacketSet one(NodeId packet) { return PacketSet::range(packet, packet + 1); }

inline PacketBlock from_to(NodeId row, NodeId rows, NodeId column, NodeId columns) {
    return {static_cast<std::uint32_t>(column), 1, static_cast<std::uint32_t>(columns),
            static_cast<std::uint32_t>(row),    1, static_cast<std::uint32_t>(rows)};
}

inline PacketCounts single(const Collective&, NodeId) { return {1, 1}; }
/// Of each segment some contributions in succession; of what folds nothing there is one row.
inline PacketSet some(const Collective& c, NodeId first, NodeId count) { return from_to(0, c.segments, first, count); }

inline PacketCounts one_a_node(const Collective& c, NodeId nodes) { return {c.segments, nodes}; }
inline PacketCounts one_a_pair(const Collective&, NodeId nodes) { return {nodes, nodes}; }
inline PacketCounts bytes_of_contents(const Collective&, NodeId) { return {1, contents_bytes_max}; }

inline PacketSet all_at_root(const Collective& c, NodeId v, NodeId nodes) {
    return v == c.root ? some(c, 0, nodes) : PacketSet();
}
inline PacketSet packet_at_root(const Collective& c, NodeId v, NodeId) { return v == c.root ? one(0) : PacketSet(); }
inline PacketSet packet(const Collective&, NodeId, NodeId) { return one(0); }
inline PacketSet own(const Collective& c, NodeId v, NodeId) { return some(c, v, 1); }
inline PacketSet everything(const Collective& c, NodeId, NodeId nodes) { return some(c, 0, nodes); }
inline PacketSet up_to_own(const Collective& c, NodeId v, NodeId) { return some(c, 0, v + 1); }
inline PacketSet from_node(const Collective&, NodeId v, NodeId nodes) { return from_to(v, 1, 0, nodes); }
inline PacketSet to_node(const Collective&, NodeId v, NodeId nodes) { return from_to(0, nodes, v, 1); }
inline PacketSet nothing(const Collective&, NodeId, NodeId) { return {}; }

}  // namespace kport::shares
