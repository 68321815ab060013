/// @file node_records.hpp   What the auditor keeps of each node.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// First touch of fresh memory is a large part of what a node costs: the record holds what every machine needs, and
/// what only some port rules need stands in arrays of its own, which other machines never touch.
struct NodeRecord {
    Round first_received = 0;  ///< 0: never
    std::uint32_t first_from = 0;
    Round last_sent = 0;  ///< 0: never
    Round last_received = 0;
};

/// Uses of a node's ports in its last_sent and last_received rounds: machines with 1 < k < degree, or half duplex.
struct PortUses {
    std::uint32_t sends = 0;
    std::uint32_t receives = 0;
};

/// The port of the first receive of a node's last_received round, kept from its second such round on: in the first it
/// follows from first_from, and most nodes of most operations receive in one round only. no_port: it came by no channel.
struct FirstIn {
    Port port = 0;
    bool collected = false;
};

/// Sends of a node in a round in which it sends more than once: all-port machines, instead of PortUses.
struct FurtherSends {
    Round round = 0;
    std::uint32_t sends = 0;

    void add(Round now) {
        sends = round == now ? sends + 1 : 2;
        round = now;
    }
};

}  // namespace kport
