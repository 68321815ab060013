/// @file circulant.hpp   Traff's schedules of blocks on circulant graphs: which block comes in which round (model.md
///                       section 13.2).
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/base/types.hpp"

namespace kport {

/// Rounds come in groups of q = ceil(log2 N). In round i of a group position x receives from position x - skip(i), and
/// sends to x + skip(i), modulo N. Its table says which block: block number b >= 0 is x's base block, b < 0 block q + b
/// of the previous group.
///
/// Callers   any thread, after construction.
class CirculantSchedule {
  public:
    explicit CirculantSchedule(NodeId nodes);

    /// Returns q.
    [[nodiscard]] std::uint32_t rounds() const { return q_; }
    [[nodiscard]] NodeId nodes() const { return skips_.back(); }
    [[nodiscard]] NodeId skip(std::uint32_t i) const { return skips_[i]; }
    /// Returns the table of position x, q entries. O(log^3 N). Position 0, the source, sends block i in round i.
    [[nodiscard]] std::vector<std::int64_t> table(NodeId x) const;

  private:
    [[nodiscard]] std::uint32_t base(NodeId x) const;

    std::uint32_t q_;
    std::vector<NodeId> skips_;  ///< q + 1, the last is N
};

}  // namespace kport
