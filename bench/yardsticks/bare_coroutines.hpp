/// @file bare_coroutines.hpp   The second yardstick: one coroutine a node and a minimal scheduler.
///
/// The simplest program in which a million coroutines pass messages: all frames are made at the start with the standard
/// allocator, a first-in first-out queue holds the ready coroutines, a mailbox is one slot. One thread. No ports, no rounds,
/// no channels, no audit, no waiting messages.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The spanning binomial tree of hypercube:n. Without ports there is one order only.
[[nodiscard]] Outcome bare_coroutines_sbt(int n);
/// From one end of a line to the other.
[[nodiscard]] Outcome bare_coroutines_line(NodeId nodes);
/// Every node adds up the values of its n neighbours, one dimension after the other: N messages a round.
[[nodiscard]] Outcome bare_coroutines_exchange(int n);

}  // namespace kport::bench
