/// @file connectivity.hpp   How many links or nodes must fail before a graph falls apart.
#pragma once

#include <optional>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The fewest whose loss leaves nodes that cannot reach each other.
struct Connectivity {
    Port links = 0;
    Port nodes = 0;  ///< N - 1 of a complete graph, which no loss of nodes parts

    bool operator==(const Connectivity&) const = default;
};

/// By Menger's theorem: as many paths without a common link, or node, join any two nodes. Nothing where the search would take
/// more than some seconds.
///
/// Source    Esfahanian, Hakimi, On computing the connectivities of graphs and digraphs, Networks 14 (1984)
/// Cost      O(nodes * least degree * channels)
[[nodiscard]] std::optional<Connectivity> connectivity_of(const Topology& graph);

}  // namespace kport
