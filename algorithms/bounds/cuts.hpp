/// @file cuts.hpp   Bottlenecks of a graph: cut links and cut nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// A part that a node cuts off, as seen from the start of a search.
struct CutPart {
    std::uint64_t nodes;
    std::uint64_t links;  ///< links from the node into it
    Hops farthest;        ///< distance from the node
};

/// A cut node: without it the graph is disconnected.
struct Joint {
    NodeId node;
    std::vector<CutPart> behind;
    std::uint64_t before;  ///< nodes of the part that has the start; 0: the node is the start

    /// Returns the sizes of all parts.
    [[nodiscard]] std::vector<std::uint64_t> parts() const;
};

/// All cut nodes and the best cut link, by one depth-first search (Tarjan). O(links).
struct NarrowPlaces {
    explicit NarrowPlaces(const Topology& graph, NodeId start = 0);

    std::vector<Joint> joints;
    std::uint64_t behind_bridge =
        0;  ///< of the link that cuts the graph most evenly: the nodes on its smaller side; 0: there is none
};

/// Bounds on the volume where every node has one packet for all (allgather), or one for each (alltoall): what a cut
/// node must send (store-and-forward), and what must cross a cut link in one direction. Nothing on graphs of more than
/// a few thousand nodes.
[[nodiscard]] std::vector<Reason> allgather_through_narrow_places(const Facts& facts);
[[nodiscard]] std::vector<Reason> alltoall_through_narrow_places(const Facts& facts);

/// Broadcast of M packets, store-and-forward: a cut node must send every packet into each part behind it. Returns the
/// argument of the slowest one. Nothing on graphs beyond walked_channels_max, and on vertex-transitive ones. Searched
/// once for a graph, its ports and its root.
[[nodiscard]] std::optional<Reason> cut_vertex(const Facts& facts);

}  // namespace kport::bounds
