/// @file bare_loop.hpp   The first yardstick: plain sequential loops over an array of slots.
///
/// They only move the data of a run: no programs, no ports, no audit. A message costs a memory access here, the lower limit
/// for any emulator; the difference is the emulator's overhead.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The spanning binomial tree of hypercube:n in the order of an all-port machine: all children of a node together.
[[nodiscard]] Outcome bare_loop_sbt_all_port(int n);
/// The spanning binomial tree in the order of a 1-port machine: one dimension after the other.
[[nodiscard]] Outcome bare_loop_sbt_1_port(int n);
/// Both on slots that exist and were written before: without set-up and teardown.
[[nodiscard]] Outcome bare_loop_again_all_port(int n);
[[nodiscard]] Outcome bare_loop_again_1_port(int n);
/// From one end of a line to the other.
[[nodiscard]] Outcome bare_loop_line(NodeId nodes);
/// Every node adds up the values of its n neighbours, one dimension after the other: N messages a round.
[[nodiscard]] Outcome bare_loop_exchange(int n);

}  // namespace kport::bench
