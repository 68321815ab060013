/// @file splitting.hpp   Scatters in which a node receives the packets of a subtree and passes on a part of them by each port.
#pragma once

#include "emulator/base/types.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// The plan of a scatter, by the ports by which a node passes on what it was sent, one after the other, and what goes by each. An engine
/// may keep of a node no more than its packets, its number and its next port (engine/partition_splitting.cpp).
///
/// Callers   several threads. What it answers follows from the arguments only.
class Splitting : public Forwarding {
  public:
    explicit Splitting(const Collective& collective) : Forwarding(collective, /*together=*/true) {}

    /// What node v passes on by a port.
    [[nodiscard]] virtual PacketSet part(NodeId v, Port out) const = 0;

    [[nodiscard]] Content content() const final { return Content::passed_packets; }
    [[nodiscard]] PacketSet packets(NodeId v, const Act& send) const final { return part(v, send.where); }

  private:
    [[nodiscard]] Program program(Node& self) const final;
};

}  // namespace kport
