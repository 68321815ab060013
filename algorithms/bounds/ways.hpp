/// @file ways.hpp   How many packets can flow from one node to another within so many rounds.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "algorithms/bounds/counting.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::bounds {

/// `number` paths of `links` links each.
struct Ways {
    std::uint64_t links;
    std::uint64_t number;

    auto operator<=>(const Ways&) const = default;
};

/// The paths by which one node reaches another, shortest first: the first j have together the fewest links that j paths
/// can have if they share no channel, and no node more often than it has ports. A path of d links brings max(0, T - d +
/// 1) packets within T rounds, and all together the most that can arrive, store-and-forward, if there is no other
/// receiver.
///
/// Source   Ford, Fulkerson, Constructing maximal dynamic flows from static flows, Operations Research 6 (1958)
using WaysTo = std::vector<Ways>;

/// Returns the least T in which M >= 1 packets can arrive: the least ceil((M + sum of links - j) / j) over the first j
/// paths.
[[nodiscard]] Count rounds_over(const WaysTo& ways, Count packets);
/// Returns how many packets can arrive within so many rounds.
[[nodiscard]] Count packets_over(const WaysTo& ways, Count rounds);
/// Returns the first `number` paths.
[[nodiscard]] WaysTo first_of(WaysTo ways, std::uint64_t number);

struct Receiver {
    NodeId node;
    WaysTo ways;
};

/// Returns the paths from the source to the other nodes; nodes with equal paths are listed once. The farthest nodes
/// come first, among those the ones with the fewest links; the search ends after `steps_max` visits of an arc or a
/// node. A node sends and receives at most `ports` packets a round.
///
/// Method   shortest augmenting paths, each searched for from the receiver on, with the distances from the source as
///          potentials, so that only what is on paths no longer than the next one is visited.
/// Cost     at most O(degree * channels) a receiver. Memory O(channels).
[[nodiscard]] std::vector<Receiver> ways_from(const Topology& graph, NodeId source, std::uint64_t ports,
                                              std::uint64_t steps_max);

}  // namespace kport::bounds
