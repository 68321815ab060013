/// @file traffic.hpp   The total distance of all packets, and the capacity of a round.
#pragma once

#include <optional>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Returns the sum of the distances from v to all nodes. Closed form on grids, exact beyond 64 bits; elsewhere the
/// topology's own.
[[nodiscard]] Count distances_from(const Facts& facts, NodeId v);

/// Returns the sum of the distances over all ordered pairs. Closed form on vertex-transitive graphs, grids and trees;
/// summed over the nodes on other graphs of a few thousand nodes; nothing on larger ones.
[[nodiscard]] std::optional<Count> distances_over_pairs(const Facts& facts);

/// Returns the most messages that can be sent in one round: k a node, one a channel.
[[nodiscard]] Count messages_a_round(const Facts& facts);
/// Returns the sum of min(k, degree) over all nodes, or an upper bound of it where there are too many nodes.
[[nodiscard]] Count ports_of_all(const Facts& facts);

/// Returns a node with the fewest ports, which limits incoming data most: any node of a vertex-transitive graph, the
/// first minimum on graphs of a few thousand nodes, on larger ones the better of the first and the last node (corners,
/// leaves).
[[nodiscard]] NodeId narrowest_node(const Facts& facts);

/// If every node has a packet for every other, |S| (N - |S|) packets must leave a half S of the nodes over the c
/// channels out of it: ceil(|S| (N-|S|) / c) in volume. Uses the best halving of a grid, hypercube or tree; nothing
/// elsewhere.
[[nodiscard]] std::vector<Reason> bisection(const Facts& facts);

}  // namespace kport::bounds
