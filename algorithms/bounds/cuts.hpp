/// @file cuts.hpp   The narrow places of a graph: links and nodes without which it falls into parts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// What a node cuts off from the start of a search.
struct Part {
    std::uint64_t nodes;
    std::uint64_t links;  ///< from the node into it
    Hops farthest;        ///< from the node
};

/// A node without which the graph falls into parts.
struct Joint {
    NodeId node;
    std::vector<Part> behind;
    std::uint64_t before;  ///< nodes of the part that has the start; 0: the node is the start

    /// The sizes of all parts.
    [[nodiscard]] std::vector<std::uint64_t> parts() const;
};

/// By one depth-first search (Tarjan). O(links).
struct NarrowPlaces {
    explicit NarrowPlaces(const Topology& graph, NodeId start = 0);

    std::vector<Joint> joints;
    std::uint64_t behind_bridge =
        0;  ///< of the link that cuts the graph most evenly: the nodes on its smaller side; 0: none
};

/// What a node must send that joins parts of the graph (store-and-forward), and what must cross a link that does, in one
/// direction: bounds on the volume. Where every node has one packet for all (allgather), or one for each (alltoall). Nothing on
/// graphs of more than a few thousand nodes.
[[nodiscard]] std::vector<Reason> allgather_through_narrow_places(const Facts& facts);
[[nodiscard]] std::vector<Reason> alltoall_through_narrow_places(const Facts& facts);

/// Store-and-forward, broadcast of M packets: a node that cuts the graph must send every packet into each part behind it. The
/// node for which that takes longest. Nothing on graphs beyond walked_channels_max, and where all nodes are alike. The search is
/// made once for a graph, its ports and its root.
[[nodiscard]] std::optional<Reason> cut_vertex(const Facts& facts);

}  // namespace kport::bounds
