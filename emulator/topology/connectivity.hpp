/// @file connectivity.hpp   Link and node connectivity of a graph.
#pragma once

#include <optional>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The fewest links, and the fewest nodes, whose removal disconnects the graph.
struct Connectivity {
    Port links = 0;
    Port nodes = 0;  ///< N - 1 for a complete graph, which no removal of nodes disconnects

    bool operator==(const Connectivity&) const = default;
};

/// Returns the connectivity, by Menger's theorem the largest number of paths without a common link, or node, between
/// every two nodes. Nothing where the search would take more than some seconds.
///
/// Source    Esfahanian, Hakimi, On computing the connectivities of graphs and digraphs, Networks 14 (1984)
/// Cost      O(nodes * least degree * channels)
[[nodiscard]] std::optional<Connectivity> connectivity_of(const Topology& graph);

}  // namespace kport
