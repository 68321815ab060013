/// @file contenders.hpp   The free-running engine on a wide machine, on the deepest and narrowest ones, and the parts of a hop.
///
/// Times are those of the programs alone (RunResult::moving_seconds): without set-up and audit, with warm memory.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The spanning binomial tree of hypercube:n, all-port, with an 8-byte packet.
[[nodiscard]] Outcome free_sbt(int n, unsigned threads);
/// An 8-byte packet from one end of a 1-port line to the other.
[[nodiscard]] Outcome free_line(NodeId nodes, unsigned threads);
/// Two nodes send each other a value of 8 bytes, in turns. A message that wakes a single node keeps both on the sender's
/// core: this is a user's cost of a hop.
[[nodiscard]] Outcome free_to_and_fro(std::uint64_t messages, unsigned threads);

/// Two threads on two cores pass one cache line to and fro; a message is one way.
[[nodiscard]] Outcome cache_line_to_and_fro(std::uint64_t messages);
/// A message through a boost::lockfree::spsc_queue and one oneTBB task that takes it out, one after the other.
[[nodiscard]] Outcome queue_and_task(std::uint64_t messages);

}  // namespace kport::bench
