/// @file flow_over_time.hpp   How many packets can reach a node in so many rounds (model.md section 13.1).
#pragma once

#include <optional>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Store-and-forward: M packets must be able to flow to every node, as if it were the only receiver. For tori, and for
/// complete graphs with all ports, the paths to the slowest node are known by formula; elsewhere they are searched for
/// (ways.hpp), once for a graph, its ports and its root, whatever M is: up to walked_channels_max channels and at most
/// four million steps, which on the largest graphs suffice for some of the farthest nodes.
///
/// Returns nothing where it gives no more than the last departure and the slowest receiver: with one port, on trees,
/// meshes and hypercubes.
[[nodiscard]] std::optional<Reason> flow_over_time(const Facts& facts);

}  // namespace kport::bounds
