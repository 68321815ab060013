/// @file contenders.hpp   Schedules replayed for their data alone (engine/mover.hpp), and memcpy of as many bytes.
///
/// All of them are prepared before the clock starts, memory touched and data moved once, and are timed over many runs.
#pragma once

#include <cstdint>
#include <string>

#include "bench/support/outcome.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::bench {

/// A broadcast of 8 bytes down the spanning binomial tree of hypercube:n.
[[nodiscard]] Outcome replay_sbt(int n, PortLimit ports, unsigned threads);

/// Large packets by sbt, "broadcast" or "scatter", on an all-port hypercube:n.
[[nodiscard]] Outcome replay_sbt_payload(const std::string& operation, int n, std::uint64_t bytes, unsigned threads);
/// As many bytes as all its messages carry, copied from one buffer to another: one memcpy a thread.
[[nodiscard]] Outcome memcpy_sbt(const std::string& operation, int n, std::uint64_t bytes, unsigned threads);

}  // namespace kport::bench
