/// @file forwarding.hpp   Broadcasts and scatters in which a node sends on what it receives, by ports that follow from this alone.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/node/plan.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// The plan of a broadcast, by the ports by which a node sends a packet on, one after the other. Where a packet is all that moves, an
/// engine may keep of a node no more than its number and its last port (engine/partition_forwarding.cpp).
///
/// Callers   several threads. What it answers follows from the arguments only.
class Forwarding : public Plan {
  public:
    /// The packets of the collective go in one message (`together`) or one behind the other.
    explicit Forwarding(const Collective& collective, bool together = false)
        : root_(collective.root), packets_(collective.packets_each), together_(together && packets_ > 1) {}

    /// The port by which node v sends first, once the packet has come by port `in`; `in` = no_port: v is the source. no_port:
    /// it does not send.
    [[nodiscard]] virtual Port first(NodeId v, Port in) const = 0;
    /// The port after `last`; no_port: there is none.
    [[nodiscard]] virtual Port next(NodeId v, Port last) const = 0;

    [[nodiscard]] Act next_act(NodeId v, std::uint64_t& place, Port in) const final;
    [[nodiscard]] Content content() const override { return together_ ? Content::packets : Content::packet; }
    [[nodiscard]] PacketSet packets(NodeId, const Act&) const override { return PacketSet::range(0, packets_); }

  private:
    [[nodiscard]] Program program(Node& self) const override;

    NodeId root_;
    std::uint64_t packets_;
    bool together_;
};

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
