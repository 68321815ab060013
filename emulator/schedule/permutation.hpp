/// @file permutation.hpp   Permutations of the nodes of a machine: which node sends to which.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// `--permutation shift:Q | transpose | bit-reversal`. O(log N) a node; no table.
struct Permutation {
    enum class Kind : std::uint8_t {
        shift,        ///< v to (v + by) mod N
        transpose,    ///< (i, j) to (j, i) on a square grid; on a hypercube the halves of the address are swapped
        bit_reversal  ///< on a hypercube
    };
    Kind kind = Kind::shift;
    NodeId by = 1;  ///< distance of a shift

    /// Returns the node that gets the packets of node v; source(): the node whose packets v gets.
    [[nodiscard]] NodeId target(NodeId v, NodeId nodes) const;
    [[nodiscard]] NodeId source(NodeId v, NodeId nodes) const;

    bool operator==(const Permutation&) const = default;
};

/// Parses a permutation. Throws RequestError that names the valid ones.
[[nodiscard]] Permutation permutation_named(std::string_view text);
/// Returns the text that permutation_named() parses: "shift:3".
[[nodiscard]] std::string text(const Permutation& permutation);
/// Throws RequestError for a shift beyond the nodes, and where the machine has no such permutation.
void require_valid(const Permutation& permutation, const Topology& topology);

}  // namespace kport
