/// @file messages.hpp   The messages of well known algorithms in plain loops, in an order in which every sender holds
///                      its packets.
///
/// The simplest program for the result: no ports, no rounds, no audit. The caller defines the effect of a message.
#pragma once

#include "emulator/base/types.hpp"

namespace kport::measure {

/// A broadcast from node 0 over the spanning binomial tree of hypercube:n, one dimension after the other: calls
/// move(from, to, dimension).
template <class Move>
void sbt_messages(unsigned n, Move&& move) {
    for (unsigned d = 0; d < n; ++d)
        for (NodeId v = 0; v < NodeId{1} << d; ++v) move(v, v ^ (NodeId{1} << d), d);
}

/// A broadcast from node 0 to the other end of a line: calls move(from, to).
template <class Move>
void line_messages(NodeId nodes, Move&& move) {
    for (NodeId v = 0; v + 1 < nodes; ++v) move(v, v + 1);
}

/// Both ways over every link of hypercube:n, one dimension after the other: calls move(from, to, dimension), and
/// end_of_round() after each dimension.
template <class Move, class EndOfRound>
void exchange_messages(unsigned n, Move&& move, EndOfRound&& end_of_round) {
    for (unsigned d = 0; d < n; ++d) {
        for (NodeId v = 0; v < NodeId{1} << n; ++v) move(v ^ (NodeId{1} << d), v, d);
        end_of_round();
    }
}

}  // namespace kport::measure
