/// @file contenders.hpp   Broadcasts on the lockstep engine, audited; set-up and teardown included.
#pragma once

#include <cstdint>

#include "bench/support/outcome.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::bench {

enum class Payload { copied, none };

/// The spanning binomial tree of hypercube:n, as the catalogue has it, with one packet.
[[nodiscard]] Outcome kport_sbt(int n, PortLimit ports, unsigned threads, Payload payload = Payload::copied,
                                std::uint64_t packet_bytes = 8);
/// Several packets along the edge-disjoint spanning binomial trees of hypercube:n, with one port.
[[nodiscard]] Outcome kport_msbt(int n, std::uint64_t packets, unsigned threads, Payload payload,
                                 std::uint64_t packet_bytes = 8);
/// The spanning binomial tree as a user's node program, run as coroutines.
[[nodiscard]] Outcome kport_own_sbt(int n, PortLimit ports, unsigned threads);
/// From one end of a 1-port line to the other by the catalogue's dost: a round a message.
[[nodiscard]] Outcome kport_line(NodeId nodes, unsigned threads);
/// The broadcast along a line as a user's node program, run as coroutines.
[[nodiscard]] Outcome kport_own_line(NodeId nodes, unsigned threads);

}  // namespace kport::bench
