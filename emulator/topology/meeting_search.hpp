/// @file meeting_search.hpp   One shortest path by bidirectional search.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The path that Topology::route() gives from one node to another.
struct ShortestWay {
    struct Step {
        NodeId at;
        Port port;  ///< the port by which the path leaves it
    };
    std::vector<Step> steps;
    NodeId to = no_node;
};

/// Searches level by level from both ends, the smaller rim first, until the two meet. Where balls grow fast, as in
/// random graphs, it visits about the square root of the nodes. The path is that of route(): each step takes the lowest
/// port that leads nearer. Pohl, Bi-directional search, Machine Intelligence 6 (1971).
///
/// `reached_max`   give up once more nodes were reached
/// `reached`       is increased by the nodes reached, found or not
/// Memory        about 64 bytes a node reached
[[nodiscard]] std::optional<ShortestWay> meeting_search(const Topology& graph, NodeId from, NodeId to,
                                                        std::uint64_t reached_max, std::uint64_t& reached);

}  // namespace kport
