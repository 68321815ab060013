/// @file port_needs.hpp   Whether the nodes of a machine can send and receive what they must.
#pragma once

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// Throws DoesNotFit, with the name of a node, if an operation needs a send or a receive of a node that has none: a limit of
/// ports is 0 (`--ports 0:1`). Operations that promise nothing, and a user's own, count as in need of both. From a root, or to
/// it, store-and-forward messages also need nodes that hand them on. O(1) unless a limit is 0 or nodes have their own; then
/// O(channels).
void require_ports(const Machine& machine, const Collective& collective);

}  // namespace kport
