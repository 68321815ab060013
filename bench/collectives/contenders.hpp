/// @file contenders.hpp   Operations of many packets on the lockstep engine, audited; set-up, verification and teardown
/// included.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// One 8-byte element a node, folded over the dimensions of hypercube:n: N messages a round.
[[nodiscard]] Outcome kport_allreduce_exchange(int n, unsigned threads);
[[nodiscard]] Outcome kport_scan_exchange(int n, unsigned threads);
/// Packets of 64 bytes down the spanning binomial tree.
[[nodiscard]] Outcome kport_scatter_sbt(int n, unsigned threads);
/// Packets of 8 bytes from everyone to everyone.
[[nodiscard]] Outcome kport_alltoall_exchange(int n, unsigned threads);
[[nodiscard]] Outcome kport_alltoall_ring(NodeId nodes, unsigned threads);

/// The yardstick of a scatter: memcpy of the bundles of every round, each into memory of its own, as in a run.
[[nodiscard]] Outcome memcpy_scatter_sbt(int n);
/// The yardstick of an alltoall: the final packets of every node, written once.
[[nodiscard]] Outcome memcpy_alltoall(NodeId nodes);

}  // namespace kport::bench
