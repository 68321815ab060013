/// @file forwarding.hpp   Broadcasts in which a node receives a packet and sends it on by ports that follow from this alone.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/base/types.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// By which ports, one after the other, a node sends on the packet of a broadcast. This is the whole text of such an algorithm.
///
/// Callers   several threads.
class Forwarding {
  public:
    Forwarding() = default;
    Forwarding(const Forwarding&) = delete;
    Forwarding& operator=(const Forwarding&) = delete;
    virtual ~Forwarding() = default;

    /// The port by which node v sends first, once the packet has come by port `in`; `in` = no_port: v is the source. no_port:
    /// it sends to nobody.
    [[nodiscard]] virtual Port first(NodeId v, Port in) const = 0;
    /// The port after `last`; no_port: there is none.
    [[nodiscard]] virtual Port next(NodeId v, Port last) const = 0;
};

/// The node programs of a forwarding, as a job's program (Job::program). An engine that finds one there may keep of a node no
/// more than its number and its last port (engine/partition_forwarding.cpp): the run is the same.
class ForwardingProgram {
  public:
    /// `packets`: how many the source has; they go in one message (`together`) or one behind the other.
    ForwardingProgram(std::shared_ptr<const Forwarding> forwarding, std::uint64_t packets, bool together);

    /// The program of a node. It refers to this object.
    [[nodiscard]] Program operator()(Node& self) const;

    [[nodiscard]] const Forwarding& forwarding() const { return *forwarding_; }

  private:
    std::shared_ptr<const Forwarding> forwarding_;
    PacketSet together_;  ///< the packets of a message that has several
    std::uint64_t messages_;
};

}  // namespace kport
