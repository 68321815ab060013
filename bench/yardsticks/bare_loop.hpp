/// @file bare_loop.hpp   The first yardstick: plain sequential loops over an array of slots.
///
/// They do what a run moves and nothing else: no programs, no ports, no audit. What a message costs here is what memory
/// costs. An emulator cannot be faster; how far it is from here is the price of being one.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The spanning binomial tree of hypercube:n in the order of an all-port machine: all children of a node together.
[[nodiscard]] Outcome bare_loop_sbt_all_port(int n);
/// The same in the order of a 1-port machine: a dimension after the other.
[[nodiscard]] Outcome bare_loop_sbt_1_port(int n);
/// Both once more on slots that are there and were written before: set-up and teardown are not counted.
[[nodiscard]] Outcome bare_loop_again_all_port(int n);
[[nodiscard]] Outcome bare_loop_again_1_port(int n);
/// From one end of a line to the other.
[[nodiscard]] Outcome bare_loop_line(NodeId nodes);
/// Every node adds up what its n neighbours have, a dimension after the other: N messages a round.
[[nodiscard]] Outcome bare_loop_exchange(int n);

}  // namespace kport::bench
