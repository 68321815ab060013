/// @file planned_parts.hpp   Values that a node of a plan keeps apart, and the folds that make others of them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/engine/movement_writer.hpp"
#include "emulator/schedule/packet_set.hpp"

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

}  // namespace kport
