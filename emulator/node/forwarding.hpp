/// @file forwarding.hpp   Broadcasts in which a node receives a packet and sends it on by ports that follow from this alone.
#pragma once

#include <memory>

#include "emulator/base/types.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"

namespace kport {

/// By which ports, one after the other, a node sends on the packet of a broadcast. This is the whole text of such an algorithm.
///
/// Callers   several threads. What it says follows from the arguments alone.
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
    /// The packets of the job's collective go in one message (`together`) or one behind the other. Throws RequestError for null.
    ForwardingProgram(std::shared_ptr<const Forwarding> forwarding, bool together);

    /// The program of a node. It refers to this object.
    [[nodiscard]] Program operator()(Node& self) const;

    [[nodiscard]] const Forwarding& forwarding() const { return *forwarding_; }

  private:
    std::shared_ptr<const Forwarding> forwarding_;
    bool together_;
};

}  // namespace kport
