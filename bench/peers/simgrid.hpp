/// @file simgrid.hpp   A broadcast in SimGrid, for bench/peers.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The spanning binomial tree on 2^n nodes in SimGrid's S4U: a host, an actor and a mailbox a node. With one port an actor
/// waits for each send before the next, with all ports it starts all and waits for them together. Every transfer takes a
/// second, so that SimGrid's clock ends at the number of rounds, n. One thread; once a process, since SimGrid's engine is one
/// a process. The right result: all have the packet, and the clock shows n.
[[nodiscard]] Outcome simgrid_sbt(int n, bool all_ports);

}  // namespace kport::bench
