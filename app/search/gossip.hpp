/// @file gossip.hpp   Gossip schedules that are found fast and need not be the shortest.
#pragma once

#include "app/search/problem.hpp"

namespace kport::search {

/// Everything goes to one node and from there to all: a broadcast, backwards and forwards. The call in the middle goes both ways at
/// once, but with the telegraph. `broadcast` starts at one node.
[[nodiscard]] Calls there_and_back(const Calls& broadcast, Mode mode);

/// In each round the calls that bring the most packets, one after the other as ports are free. Empty where it was stopped.
/// O(rounds channels (N / 64 + log N)).
[[nodiscard]] Calls greedy_gossip(const Graph& graph, Mode mode, Port ports, const Stop& stop);

}  // namespace kport::search
