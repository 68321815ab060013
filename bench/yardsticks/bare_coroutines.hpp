/// @file bare_coroutines.hpp   The second yardstick: one coroutine a node and the least that makes them run.
///
/// What a person would write who wants a million coroutines to pass messages and nothing more: all frames are made at the
/// start with the standard allocator, a plain first-in first-out queue says who is resumed next, a mailbox is one slot.
/// One thread. No ports, no rounds, no channels, no audit, no mail that must wait.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The spanning binomial tree of hypercube:n. Without ports there is one order only.
[[nodiscard]] Outcome bare_coroutines_sbt(int n);
/// From one end of a line to the other.
[[nodiscard]] Outcome bare_coroutines_line(NodeId nodes);
/// Every node adds up what its n neighbours have, a dimension after the other: N messages a round.
[[nodiscard]] Outcome bare_coroutines_exchange(int n);

}  // namespace kport::bench
