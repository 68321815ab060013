/// @file planned_parts.hpp   Values that a node keeps apart: which nodes must, and, for a node of a plan, the folds that make others of them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/engine/movement_writer.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// What Parts are for a node program (node/kept_values.hpp), for a plan. A cell is a node and a segment; contributions are
/// columns of row 0, a result that came the column N.
///
/// Callers   one task.
class PlannedParts {
  public:
    PlannedParts(MovementPlan& plan, MovementWriter& writer) : plan_(plan), writer_(writer) {}

    /// A value stands at a place, where nothing else is written any more.
    void add(std::uint64_t cell, PacketSet contributions, std::uint32_t place) {
        cells_[cell].push_back({std::move(contributions), place});
    }
    /// Throws DoesNotFit.
    [[nodiscard]] std::uint32_t new_place();

    struct Sum {
        std::uint32_t place;
        std::uint64_t count;  ///< of the contributions that it has, of those that it should
    };
    /// The value of some contributions. Its folds are written by fold_all(), at one go for all cells, to a place of its own or
    /// that one; the sum is kept.
    [[nodiscard]] Sum sum(std::uint64_t cell, const PacketSet& contributions, std::uint32_t to = Movement::nothing);
    void fold_all();

  private:
    struct Part {
        PacketSet contributions;
        std::uint32_t place;
    };
    /// What is folded one after the other.
    struct Chain {
        std::vector<std::uint32_t> from;  ///< two or more
        std::uint32_t to;
        std::size_t start;  ///< the first fold is in the step after so many
    };

    MovementPlan& plan_;
    MovementWriter& writer_;
    std::unordered_map<std::uint64_t, std::vector<Part>> cells_;
    std::vector<Chain> chains_;                            ///< to be folded
    std::unordered_map<std::uint32_t, std::size_t> made_;  ///< after which step their sums are there, by place
};

/// The contributions to a segment that a message carries, as columns of row 0.
[[nodiscard]] PacketSet in_segment(std::span<const PacketBlock> packets, std::uint32_t segment);

/// By node: whether some transfer names fewer contributions to its segments, or others, than its sender has by then, or whether it takes a
/// fold of other contributions than it has in the end (OwnFolds). Such a node
/// must keep apart what came to it; for all others one sum is enough.
///
/// Errors  none for a well-formed schedule.
/// Cost    O(transfers x blocks that their senders have), and a set of contributions a node.
[[nodiscard]] std::vector<bool> senders_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes);

/// By node: whether it keeps apart what comes to it. All do if, in runs (Collective::in_runs), some message has several values of one
/// segment, or a value comes to a node that does not follow what it has, or some fold is taken in order (OwnFolds); else the senders of
/// parts.
///
/// Cost    as senders_of_parts().
[[nodiscard]] std::vector<bool> keepers_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes);

}  // namespace kport
