/// @file holdings.hpp   What nodes hold at the end of a run, taken out of it: the packets and their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// Of each node the packets that it was promised and holds, and their bytes, in the order of the blocks, row by row.
struct Holdings {
    struct OfNode {
        PacketSet packets;
        std::vector<std::byte> bytes;  ///< none where a run holds none
    };
    std::vector<OfNode> of_node;
};

}  // namespace kport
