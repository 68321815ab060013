/// @file contenders.hpp   The free-running engine on the deepest and narrowest machines, and what a hop is made of.
///
/// Times are those of the programs alone (RunResult::moving_seconds): set-up and audit are excluded,
/// and the memory is warm.
#pragma once

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// An 8-byte packet from one end of a 1-port line to the other.
[[nodiscard]] Outcome free_line(NodeId nodes, unsigned threads);
/// Two nodes send each other a value of 8 bytes, in turns. With mail that wakes one node at a time both run on the core of
/// whoever wrote last: that is what a hop costs a user.
[[nodiscard]] Outcome free_to_and_fro(std::uint64_t messages, unsigned threads);

/// Two threads on two cores pass one cache line to and fro; a message is one way.
[[nodiscard]] Outcome cache_line_to_and_fro(std::uint64_t messages);
/// A message through a boost::lockfree::spsc_queue and one oneTBB task that takes it out, one after the other.
[[nodiscard]] Outcome queue_and_task(std::uint64_t messages);

}  // namespace kport::bench
