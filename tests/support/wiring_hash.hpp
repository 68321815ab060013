/// @file wiring_hash.hpp   The numbering and the ports of all nodes in one number, as the reference's tables have it.
#pragma once

#include <cstdint>

#include "emulator/topology/topology.hpp"

namespace kport::test {

/// Returns a hash of the neighbours by all ports of all nodes, in the order of their numbers; each link of a trunk counts.
inline std::uint64_t wiring_hash(const Topology& topology) {
    std::uint64_t hash = 0;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        for (Port p = 0; p < topology.ports(); ++p)
            if (const NodeId w = topology.across(v, p).node; w != no_node)
                for (std::uint32_t i = 0; i < topology.capacity(v, p); ++i)
                    hash = 1000003 * hash + 31 * v + 7 * p + w + 1;
    return hash;
}

}  // namespace kport::test
