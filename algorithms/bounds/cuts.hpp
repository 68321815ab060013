/// @file cuts.hpp   The narrow places of a graph: links and nodes without which it falls into parts.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// A node without which the graph falls into parts, with their sizes.
struct Joint {
    NodeId node;
    std::vector<std::uint64_t> parts;
};

/// By one depth-first search (Tarjan). O(links).
struct NarrowPlaces {
    explicit NarrowPlaces(const Topology& graph);

    std::vector<Joint> joints;
    std::uint64_t behind_bridge =
        0;  ///< of the link that cuts the graph most evenly: the nodes on its smaller side; 0: none
};

/// What a node must send that joins parts of the graph (store-and-forward), and what must cross a link that does, in one
/// direction: bounds on the volume. Where every node has one packet for all (allgather), or one for each (alltoall). Nothing on
/// graphs of more than a few thousand nodes.
[[nodiscard]] std::vector<Reason> allgather_through_narrow_places(const Facts& facts);
[[nodiscard]] std::vector<Reason> alltoall_through_narrow_places(const Facts& facts);

}  // namespace kport::bounds
