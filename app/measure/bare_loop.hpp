/// @file bare_loop.hpp   A yardstick: the messages of an algorithm in a plain sequential loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "app/measure/task.hpp"

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

}  // namespace kport::measure
