/// @file time_network.hpp   The network with a copy of the graph for each round, and the maximum flow in it.
#pragma once

#include <cstdint>

#include "emulator/machine/machine.hpp"

namespace kport::bounds {

/// How many packets of one node can reach another within so many rounds, store-and-forward, if nobody else wants any; no more
/// than `enough` are looked for. O(enough * rounds * channels).
[[nodiscard]] std::uint64_t packets_within(const Machine& machine, NodeId from, NodeId to, std::uint64_t rounds,
                                           std::uint64_t enough);

}  // namespace kport::bounds
