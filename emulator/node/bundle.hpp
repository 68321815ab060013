/// @file bundle.hpp   What one message carries.
#pragma once

#include "emulator/base/types.hpp"

namespace kport {

/// A handle to a packet: its number. The bytes stay in the memories of the nodes that hold it (node/memory.hpp) and move
/// when a transfer moves them. Not an aggregate on purpose: g++ 12 destroys aggregate temporaries of a co_await
/// statement twice, and node programs pass packets in such statements.
class Packet {
  public:
    Packet() : id_(0) {}
    explicit Packet(PacketId id) : id_(id) {}
    [[nodiscard]] PacketId id() const { return id_; }

    bool operator==(const Packet&) const = default;

  private:
    PacketId id_;
};

}  // namespace kport
