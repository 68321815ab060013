/// @file bare_loop.hpp   A yardstick: the messages of an algorithm in a plain sequential loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "app/measure/contender.hpp"
#include "emulator/base/types.hpp"

namespace kport::measure {

/// The memory of all nodes, and the loop over them.
class BareLoop {
  public:
    virtual ~BareLoop() = default;
    /// Moves every message once, on one thread. May be called again.
    virtual void run() = 0;
    /// Whether every node has its promised packets after the last run. O(bytes held).
    [[nodiscard]] virtual bool right() const = 0;
};

/// Its constructor, and its memory.
struct BareLoopPlan {
    double bytes = 0;
    std::function<std::unique_ptr<BareLoop>()> make;  ///< null: no plain loop exists for this algorithm
};

/// Returns a plan for broadcast by sbt and on lines from their first node; scatter by sbt; allgather by exchange and
/// ring; alltoall by pairwise; allreduce by exchange of sums of int64.
[[nodiscard]] BareLoopPlan bare_loop(const Task& task);

// The messages of well known algorithms in plain loops, in an order in which every sender holds its packets.
// The simplest program for the result: no ports, no rounds, no audit. The caller defines the effect of a message.

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
