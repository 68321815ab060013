/// @file movement_plan.hpp   What a schedule moves, as flat copies and folds between numbered places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "emulator/schedule/promise.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Where packets stand: places that last, 0, 1, ..., or, with this bit, places for what a node only passes on. After the
/// run nobody asks for those, and the next slice of the packets may use them again.
inline constexpr std::uint32_t passing = std::uint32_t{1} << 31;

/// `count` packets move from places from, from + 1, ... to places to, to + 1, ...; or they are folded on their way.
struct Movement {
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t to;
    std::uint32_t from;
    std::uint32_t with;  ///< places that stand right of `from` in a fold; nothing: a copy
    std::uint32_t count;

    [[nodiscard]] bool folds() const { return with != nothing; }
};

/// Packets at a node, row by row from `place` on.
struct Standing {
    std::uint32_t node;
    std::uint32_t place;
    PacketBlock block;
};

/// Movements that do not depend on each other: they may be made in any order, or at once.
struct MovementStep {
    std::size_t end;        ///< of the movements, which begin where the step before ends
    std::uint64_t packets;  ///< that move in it
};

/// A schedule without nodes and rounds. Each place holds a packet or a value, and a step reads none that it writes, so that
/// all transfers of a round happen at once. Places are given in the order in which they are written, and senders are
/// read in the order of theirs: memory is walked from front to back wherever the schedule lets us.
///
/// Memory    16 bytes a movement, 32 a block that comes to a node to stay.
struct MovementPlan {
    std::vector<Movement> movements;
    std::vector<MovementStep> steps;
    std::uint64_t places = 0;          ///< that last
    std::uint64_t passing_places = 0;  ///< for what is only passed on
    std::uint64_t packets_moved = 0;   ///< over all transfers; a partial result is one
    std::vector<Standing> owned;       ///< what the nodes have before they begin
    std::vector<Standing> brought;     ///< what came to stay; of a reduction the results
};

/// How a plan is to be made.
struct PlanOptions {
    std::uint32_t count_max = 1;  ///< a movement has no more packets; at least 1
    /// Whether what a node does not want for itself stands in passing places: a gain of memory for large packets, and more
    /// movements, because what comes together no longer stands together.
    bool passes_on = false;
};

/// The plan of a schedule that moves packets.
///
/// Errors  RequestError where a sender does not hold what it sends, or a node lacks in the end what the operation promises
///         it; DoesNotFit from 2^31 places on. Whatever else a schedule may break is for an auditor to say.
[[nodiscard]] MovementPlan plan_of_packets(const Schedule& schedule, NodeId nodes, const Promise& promise,
                                           const PlanOptions& options);

/// The same of a reduction. A node has its contribution, two passing places for what it has folded, which take turns, and
/// one for its result.
[[nodiscard]] MovementPlan plan_of_values(const Schedule& schedule, NodeId nodes, const Promise& promise,
                                          const PlanOptions& options);

}  // namespace kport
