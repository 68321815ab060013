/// @file transfer.hpp   One message in one round: the auditor's only input.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// A message from one node to another along a path, carrying a set of packets (model.md section 1). A view: the spans
/// belong to the caller that reports the transfer and are valid during the call.
struct Transfer {
    NodeId from = no_node;
    NodeId to = no_node;
    std::span<const Port> route;           ///< the ports by which the path leaves `from` and every node after it
    std::span<const PacketBlock> packets;  ///< disjoint blocks
};

/// One packet over one link, the most common transfer of a large machine.
struct Hop {
    NodeId from = no_node;
    NodeId to = no_node;
    Port port = no_port;  ///< of `from`
    PacketId packet = 0;
};

/// A value of one segment over one link, the most common transfer of a reduction. Its contributions are one
/// progression, possibly wrapping around from the last node to the first.
struct ValueHop {
    NodeId from = no_node;
    NodeId to = no_node;
    Port port = no_port;  ///< of `from`
    Progression contributions;
    std::uint32_t segment = 0;
    std::uint32_t around = 0;  ///< number of contributions that wrap around: 0 to around - 1

    [[nodiscard]] FewBlocks blocks() const { return going_around(segment, contributions, around); }
};

/// A hop as a transfer, valid while the hop and this object live.
class HopTransfer {
  public:
    explicit HopTransfer(const Hop& hop)
        : packets_{{PacketBlock{static_cast<std::uint32_t>(hop.packet)}}}, transfer_{hop.from,
                                                                                     hop.to,
                                                                                     {&hop.port, 1},
                                                                                     packets_.blocks()} {}
    explicit HopTransfer(const ValueHop& hop)
        : packets_(hop.blocks()), transfer_{hop.from, hop.to, {&hop.port, 1}, packets_.blocks()} {}
    HopTransfer(const HopTransfer&) = delete;
    HopTransfer& operator=(const HopTransfer&) = delete;
    operator const Transfer&() const { return transfer_; }  // NOLINT(google-explicit-constructor): it is one

  private:
    FewBlocks packets_;
    Transfer transfer_;
};

}  // namespace kport
