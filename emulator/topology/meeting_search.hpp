/// @file meeting_search.hpp   One shortest way, by a search from both of its ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The way that Topology::route() names from one node to another.
struct ShortestWay {
    struct Step {
        NodeId at;
        Port port;  ///< by which the way leaves it
    };
    std::vector<Step> steps;
    NodeId to = no_node;
};

/// Level by level around both ends, the smaller rim first, until the two meet: where balls grow fast, as in random graphs, about
/// the square root of the nodes is looked at. The way is the one of route(): each step is the lowest port that leads nearer.
/// Pohl, Bi-directional search, Machine Intelligence 6 (1971).
///
/// `reached_max`   nothing once more nodes were reached
/// `reached`     so many are added to it, found or not
/// Memory        64 bytes or so a node reached
[[nodiscard]] std::optional<ShortestWay> meeting_search(const Topology& graph, NodeId from, NodeId to,
                                                        std::uint64_t reached_max, std::uint64_t& reached);

}  // namespace kport
