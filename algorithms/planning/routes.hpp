/// @file routes.hpp   Packets that travel alone, each to one node, on shortest paths.
#pragma once

#include <cstdint>

#include "algorithms/planning/gossip.hpp"
#include "algorithms/planning/graph.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::planning {

/// An all-to-all scatter of one packet a message: in each round the packets that have farthest to go, and those of nodes that have the
/// most to send, as long as ports and channels are free; the shortest of some tries. The first ones differ in the weights of the two and
/// in numbers drawn for the packets; each later one changes some numbers of the best so far.
///
/// Cost   O(tries rounds N^2 packets_each degree), where the rounds are about N times the mean distance over the ports
[[nodiscard]] Schedule greedy_routes(const Topology& topology, const Graph& graph, const Calling& calling,
                                     std::uint64_t packets_each, const Tries& tries);

/// How much there is to look at in one try.
[[nodiscard]] GossipSize size_of_routes(const Topology& topology, std::uint64_t packets_each);

}  // namespace kport::planning
