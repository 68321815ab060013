/// @file message.hpp   A message between two partitions of an engine.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"

namespace kport {

/// Small and trivial: a round of a large machine holds millions of them.
struct Message {
    std::uint32_t from;
    std::uint32_t to;
    Port out;  ///< store-and-forward: the port of `from`. Wormhole: where the route stands in the sender's RouteStore.
    Port in;   ///< the port of `to`
    PacketId packet;
};

}  // namespace kport
