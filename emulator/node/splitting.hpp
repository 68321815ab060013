/// @file splitting.hpp   Scatters in which a node receives the packets of a subtree and passes on a part of them by each port.
#pragma once

#include <memory>

#include "emulator/base/types.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// By which ports, one after the other, a node passes on what it was sent, and what goes by each. This is the whole text of such an
/// algorithm.
///
/// Callers   several threads. What it says follows from the arguments alone.
class Splitting : public Forwarding {
  public:
    /// What node v passes on by a port.
    [[nodiscard]] virtual PacketSet part(NodeId v, Port out) const = 0;
};

/// The node programs of a splitting, as a job's program (Job::program). An engine that finds one there may keep of a node no
/// more than its packets, its number and its next port (engine/partition_splitting.cpp): the run is the same.
class SplittingProgram {
  public:
    /// Throws RequestError for null.
    explicit SplittingProgram(std::shared_ptr<const Splitting> splitting);

    /// The program of a node. It refers to this object.
    [[nodiscard]] Program operator()(Node& self) const;

    [[nodiscard]] const Splitting& splitting() const { return *splitting_; }

  private:
    std::shared_ptr<const Splitting> splitting_;
};

}  // namespace kport
