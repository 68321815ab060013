/// @file lacked.hpp   The packets of a promise that nodes want and do not own.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/schedule/collective.hpp"

namespace kport {

/// A packet of a collective of one's own that some nodes lack.
struct LackedPacket {
    std::uint32_t packet = 0;
    std::vector<NodeId> owners = {};  ///< ascending
    std::vector<NodeId> takers = {};  ///< that want it and do not own it, ascending
};

/// Returns those of a collective of one's own, ascending; those that no node owns are left out, and names of packets that are
/// none, which require_valid() refuses.
///
/// Cost  O(P + the packets that nodes own and want).
[[nodiscard]] std::vector<LackedPacket> lacked_packets(const Collective& collective, NodeId nodes);

/// Returns how many packets there are, and how often they are owned and wanted; no more than `most` is counted.
[[nodiscard]] std::uint64_t size_of_promise(const Collective& collective, NodeId nodes, std::uint64_t most);

}  // namespace kport
