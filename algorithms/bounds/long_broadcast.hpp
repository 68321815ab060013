/// @file long_broadcast.hpp   Lower bounds of a broadcast of M > 1 packets (model.md section 13.1).
#pragma once

#include <optional>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"

namespace kport::bounds {

/// Adds the arguments on the volume in packets, on the rounds where a message holds one packet, and on the path sum
/// that follows. Reversed in time they hold for a reduction of M segments.
void add_long_broadcast(const Facts& facts, Derivation& found);

/// Adds what is known beyond the bounds: consequences of the minimum for a single packet, and minima found by search
/// (model.md section 13.2).
void about_long_broadcast(const Facts& facts, const Derivation& found, Knowledge& known);

/// Store-and-forward: M packets must be able to flow to every node, as if it were the only receiver. For tori, and for
/// complete graphs with all ports, the paths to the slowest node are known by formula; elsewhere they are searched for
/// (ways.hpp), once for a graph, its ports and its root, whatever M is: up to walked_channels_max channels and at most
/// four million steps, which on the largest graphs suffice for some of the farthest nodes.
///
/// Returns nothing where it gives no more than the last departure and the slowest receiver: with one port, on trees,
/// meshes and hypercubes.
[[nodiscard]] std::optional<Reason> flow_over_time(const Facts& facts);

}  // namespace kport::bounds
