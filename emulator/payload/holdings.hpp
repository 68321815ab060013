/// @file holdings.hpp   What nodes hold at the end of a run: packets and their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// For each node the promised packets that it holds, and their bytes in the order of the blocks, row by row.
struct Holdings {
    struct OfNode {
        PacketSet packets;
        std::vector<std::byte> bytes;  ///< empty where a run moves no bytes
    };
    std::vector<OfNode> of_node;
};

}  // namespace kport
