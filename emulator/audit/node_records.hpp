/// @file node_records.hpp   What the auditor keeps of each node.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// What every machine needs. First touch of memory is a large part of a node's cost, so fields that only some rules
/// need are in the arrays of the structs below.
struct NodeRecord {
    Round first_received = 0;  ///< 0: never
    std::uint32_t first_from = 0;
    Round last_sent = 0;  ///< 0: never
    Round last_received = 0;
};

/// Machines with 1 < k < degree or half duplex: port uses of a node in its last_sent and last_received rounds.
struct PortUses {
    std::uint32_t sends = 0;
    std::uint32_t receives = 0;
};

/// The port of the first receive of a node's last_received round; no_port: it came by no channel. Kept from the second
/// round with receives on: in the first it follows from first_from, and most nodes receive in one round only.
struct FirstIn {
    Port port = 0;
    bool collected = false;
};

/// All-port machines, instead of PortUses: the sends of a node in a round in which it sends more than once.
struct FurtherSends {
    Round round = 0;
    std::uint32_t sends = 0;

    void add(Round now) {
        sends = round == now ? sends + 1 : 2;
        round = now;
    }
};

}  // namespace kport
