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
    Port out;  ///< store-and-forward: the port of `from`; wormhole: index of the route in the sender's partition
    Port in;   ///< the port of `to`
    /// Four times a single packet's number, and two more (broadcast: the sender holds its bytes); or the address of a Body, of
    /// which the message holds one reference; or, one more than it, the address of an Element that its sender keeps until the
    /// round ends.
    std::uint64_t content;

    [[nodiscard]] static std::uint64_t content_of(Packet packet) { return packet.id() << 2 | 2; }
    [[nodiscard]] bool has_packet() const { return (content & 2) != 0; }
    [[nodiscard]] Packet packet() const { return Packet(content >> 2); }
    [[nodiscard]] bool has_element() const { return (content & 1) != 0; }
    [[nodiscard]] Element& element() const { return *reinterpret_cast<Element*>(content - 1); }
    [[nodiscard]] bool has_body() const { return (content & 3) == 0; }
    [[nodiscard]] Body* body() const { return reinterpret_cast<Body*>(content); }
};

}  // namespace kport
