/// @file permutation.hpp   Permutations of the nodes of a machine: who sends to whom.
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
        transpose,    ///< (i, j) to (j, i) on a square grid; on a hypercube the halves of the address change places
        bit_reversal  ///< on a hypercube
    };
    Kind kind = Kind::shift;
    NodeId by = 1;  ///< of a shift

    /// Where the packets of node v go, and from where those come that it is to get.
    [[nodiscard]] NodeId target(NodeId v, NodeId nodes) const;
    [[nodiscard]] NodeId source(NodeId v, NodeId nodes) const;

    bool operator==(const Permutation&) const = default;
};

/// Throws RequestError with what would be right.
[[nodiscard]] Permutation permutation_named(std::string_view text);
/// The same text back: "shift:3".
[[nodiscard]] std::string text(const Permutation& permutation);
/// Throws RequestError for a shift beyond the nodes, and where the machine has no such permutation.
void require_valid(const Permutation& permutation, const Topology& topology);

}  // namespace kport
