/// @file collectives.hpp   What an algorithm of the catalogue is asked to do in tests that take every one.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport::test {

/// From node 0; with what the algorithm needs besides: 16 packets to be cut into a block a node, a permutation of address bits.
inline Collective collective_for(const Algorithm& algorithm, std::uint64_t packet_bytes) {
    Collective collective = Collective::of(algorithm.operation, 0, packet_bytes);
    if (algorithm.name == "scatter-allgather") collective.packets_each = 16;
    if (algorithm.name == "chain") collective.packets_each = 3;  // so that several nodes are at work
    if (algorithm.name == "bit-pairs") collective.permutation.kind = Permutation::Kind::bit_reversal;
    return collective;
}

}  // namespace kport::test
