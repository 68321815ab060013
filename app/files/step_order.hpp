/// @file step_order.hpp   The order of programs of ranks: starts and ends of steps, an order of execution, deadlocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/files/precedence.hpp"
#include "app/files/ranked_steps.hpp"

namespace kport {

/// Events are the starts (2 * step) and ends (2 * step + 1) of matched steps.
class StepOrder {
  public:
    [[nodiscard]] static EventId start_of(std::uint32_t step) { return 2 * step; }
    [[nodiscard]] static EventId end_of(std::uint32_t step) { return 2 * step + 1; }
    [[nodiscard]] static std::uint32_t step_of(EventId event) { return event / 2; }

    /// `buffered`: a send ends whether or not its receive has started. The steps must outlive the order.
    StepOrder(const std::vector<RankedStep>& steps, bool buffered);

    /// Returns all events in topological order; nothing if there is a cycle.
    [[nodiscard]] std::optional<std::vector<EventId>> topological() const { return order_.topological(); }
    /// Returns the cycle with the fewest waits, step by step. There must be a cycle.
    [[nodiscard]] std::string cycle_in_words() const;
    [[nodiscard]] std::span<const Precedence::Edge> before(EventId event) const { return order_.before(event); }
    /// Marks an event and all events after it. O(V + E).
    [[nodiscard]] std::vector<bool> all_after(EventId event) const;
    /// Marks an event and all events before it. O(V + E).
    [[nodiscard]] std::vector<bool> all_before(EventId event) const;

  private:
    const std::vector<RankedStep>& steps_;
    Precedence order_;
    std::vector<std::vector<EventId>> followers_;
};

/// Returns "rank 0 line 4 (recv from 1)".
[[nodiscard]] std::string in_words(const RankedStep& step);

}  // namespace kport
