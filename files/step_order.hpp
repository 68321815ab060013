/// @file step_order.hpp   What comes before what in programs of ranks: starts and ends of steps, an order to execute them, deadlocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/ranked_steps.hpp"

namespace kport {

/// Events are the starts (2 * step) and ends (2 * step + 1) of matched steps.
class StepOrder {
  public:
    using Event = std::uint32_t;
    [[nodiscard]] static Event start_of(std::uint32_t step) { return 2 * step; }
    [[nodiscard]] static Event end_of(std::uint32_t step) { return 2 * step + 1; }
    [[nodiscard]] static std::uint32_t step_of(Event event) { return event / 2; }

    /// `buffered`: a send ends whether or not its receive has started. The steps must outlive the order.
    StepOrder(const std::vector<RankedStep>& steps, bool buffered);

    /// All events, each behind those before it; nothing if there is a cycle. O(V + E).
    [[nodiscard]] std::optional<std::vector<Event>> topological() const;
    /// A short cycle, step by step; requires that there is one.
    [[nodiscard]] std::string cycle_in_words() const;
    [[nodiscard]] const std::vector<std::vector<Event>>& before() const { return before_; }
    /// Marks all events that come after an event, which itself is one of them. O(V + E).
    [[nodiscard]] std::vector<bool> all_after(Event event) const;

  private:
    [[nodiscard]] std::vector<Event> executable() const;
    [[nodiscard]] std::vector<Event> short_cycle() const;

    const std::vector<RankedStep>& steps_;
    std::vector<std::vector<Event>> before_;
    std::vector<std::vector<Event>> followers_;
};

/// "rank 0 line 4 (recv from 1)".
[[nodiscard]] std::string in_words(const RankedStep& step);

}  // namespace kport
