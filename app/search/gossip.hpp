/// @file gossip.hpp   Fast gossip schedules that need not be the shortest.
#pragma once

#include "app/search/problem.hpp"

namespace kport::search {

/// Collects everything at one node and distributes it: a broadcast backwards and forwards. The middle call goes both
/// ways at once, except in telegraph mode. `broadcast` starts at one node.
[[nodiscard]] Calls there_and_back(const Calls& broadcast, Mode mode);

/// Takes in each round the calls that bring the most packets, as long as ports are free. Empty if it was stopped.
/// O(rounds channels (N / 64 + log N)).
[[nodiscard]] Calls greedy_gossip(const Graph& graph, Mode mode, Port ports, const Stop& stop);

}  // namespace kport::search
