/// @file message.hpp   A message between two partitions of an engine.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/node/bundle.hpp"

namespace kport {

/// Small and trivial: a round of a large machine holds millions of them.
struct Message {
    std::uint32_t from;
    std::uint32_t to;
    Port out;  ///< store-and-forward: the port of `from`. Wormhole: where the route stands in the sender's RouteStore.
    Port in;   ///< the port of `to`
    /// A single packet's number (broadcast); or the address of a Body, of which the message holds one reference; or, one
    /// more than it, the address of an Element that its sender keeps until the round ends.
    std::uint64_t content;

    [[nodiscard]] Packet packet() const { return Packet(content); }
    [[nodiscard]] bool has_element() const { return (content & 1) != 0; }
    [[nodiscard]] Element& element() const { return *reinterpret_cast<Element*>(content - 1); }
    [[nodiscard]] Body* body() const { return reinterpret_cast<Body*>(content); }
};

}  // namespace kport
