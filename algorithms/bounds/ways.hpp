/// @file ways.hpp   How many packets can flow from one node to another within so many rounds.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "algorithms/bounds/counting.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::bounds {

/// So many ways of so many links each.
struct Ways {
    std::uint64_t links;
    std::uint64_t number;

    auto operator<=>(const Ways&) const = default;
};

/// The ways over which one node reaches another, shortest first: the first j of them have together as few links as j ways can
/// that share no channel, and no node more often than it has ports. A way of d links brings max(0, T - d + 1) packets within T
/// rounds, and all together the most that can come, store-and-forward, if nobody else wants any.
///
/// Source   Ford, Fulkerson, Constructing maximal dynamic flows from static flows, Operations Research 6 (1958)
using WaysTo = std::vector<Ways>;

/// The least T in which M >= 1 packets can come over the ways: the least ceil((M + sum of links - j) / j) of the first j.
[[nodiscard]] Count rounds_over(const WaysTo& ways, Count packets);
/// How many can come within so many rounds.
[[nodiscard]] Count packets_over(const WaysTo& ways, Count rounds);
/// The first so many of them.
[[nodiscard]] WaysTo first_of(WaysTo ways, std::uint64_t number);

struct Receiver {
    NodeId node;
    WaysTo ways;
};

/// The ways from the source to the other nodes, of nodes with the same ways one. The farthest nodes come first, of those the
/// ones with the fewest links, and where they are many the search ends after `steps_max` looks at an arc or a node. A node
/// sends and receives at most `ports` packets a round.
///
/// Method   shortest augmenting paths, each searched for from the receiver on, with the distances from the source as potentials:
///          only what lies on ways no longer than the next one is looked at.
/// Cost     at most O(degree * channels) a receiver. Memory O(channels).
[[nodiscard]] std::vector<Receiver> ways_from(const Topology& graph, NodeId source, std::uint64_t ports,
                                              std::uint64_t steps_max);

}  // namespace kport::bounds
