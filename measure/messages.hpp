/// @file messages.hpp   The messages of well known algorithms in plain loops, in an order in which whoever sends has what
///                      it sends.
///
/// This is what a person would write who wants the result and no machine: no ports, no rounds, no audit. What a message
/// does is up to the caller.
#pragma once

#include "emulator/base/types.hpp"

namespace kport::measure {

/// A broadcast from node 0 over the spanning binomial tree of hypercube:n, a dimension after the other: calls
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

/// Both ways over every link of hypercube:n, a dimension after the other: calls move(from, to, dimension), and
/// end_of_round() after each dimension.
template <class Move, class EndOfRound>
void exchange_messages(unsigned n, Move&& move, EndOfRound&& end_of_round) {
    for (unsigned d = 0; d < n; ++d) {
        for (NodeId v = 0; v < NodeId{1} << n; ++v) move(v ^ (NodeId{1} << d), v, d);
        end_of_round();
    }
}

}  // namespace kport::measure
