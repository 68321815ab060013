/// @file movement_plan.hpp   A schedule as flat copies and folds between numbered places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A place of packets: a final place, 0, 1, ..., or, with this bit, a place for packets that a node only passes on. After
/// the run these are not needed, and the next slice of the packets may use them again.
inline constexpr std::uint32_t passing = std::uint32_t{1} << 31;

/// `count` packets move from places from, from + 1, ... to places to, to + 1, ...; or they are folded on their way.
struct Movement {
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t to;
    std::uint32_t from;
    std::uint32_t with;  ///< the right operand of a fold with `from`; nothing: a copy
    std::uint32_t count;

    [[nodiscard]] bool folds() const { return with != nothing; }
};

/// Packets at a node, row by row from `place` on.
struct Standing {
    std::uint32_t node;
    std::uint32_t place;
    PacketBlock block;
};

/// Independent movements: in any order, or concurrently.
struct MovementStep {
    std::size_t end;        ///< of the movements, which begin where the step before ends
    std::uint64_t packets;  ///< that move in it
};

/// A schedule without nodes and rounds. Each place holds a packet or a value, and a step reads none that it writes, so that
/// all transfers of a round happen at once. Places are given in the order in which they are written, and senders are
/// read in the order of theirs: memory is accessed from front to back where the schedule allows.
///
/// Memory    16 bytes a movement, 32 a block that comes to a node to stay.
struct MovementPlan {
    std::vector<Movement> movements;
    std::vector<MovementStep> steps;
    std::uint64_t places = 0;          ///< that last
    std::uint64_t passing_places = 0;  ///< for what is only passed on
    std::uint64_t packets_moved = 0;   ///< over all transfers; a partial result is one
    std::vector<Standing> owned;       ///< the nodes' initial packets
    std::vector<Standing> brought;     ///< the final packets; in a reduction the results
};

/// Options of a plan.
struct PlanOptions {
    std::uint32_t count_max = 1;  ///< a movement has no more packets; at least 1
    /// Whether packets that a node only passes on use passing places: saves memory for large packets, but makes more
    /// movements, because packets that come together are no longer neighbours.
    bool passes_on = false;
};

/// The plan of a schedule that moves packets.
///
/// Errors  RequestError if a sender does not hold a packet that it sends, or a node lacks a promised packet at the end;
///         DoesNotFit from 2^31 places on. All other rules are the auditor's.
[[nodiscard]] MovementPlan plan_of_packets(const Schedule& schedule, NodeId nodes, const Collective& collective,
                                           const PlanOptions& options);

/// The plan of a schedule of a reduction, of each of its segments. A node has its contribution, passing places for its partial result, as many
/// of two as are used, which alternate, and one for its result. In a scan its prefix is its partial result while all that came
/// is from below; then it stands apart, and may take a third. A node that sends parts of what it has (engine/planned_parts.hpp) has
/// a place for each value that comes to it and for each that it folds.
///
/// Errors  RequestError where a sender cannot have the value that it sends, a result lacks contributions, or a message has several
///         partial results; DoesNotFit from 2^31 places on.
[[nodiscard]] MovementPlan plan_of_values(const Schedule& schedule, NodeId nodes, const Collective& collective,
                                          const PlanOptions& options);

}  // namespace kport
