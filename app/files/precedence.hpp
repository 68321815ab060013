/// @file precedence.hpp   A precedence relation of events: an order of execution, and the shortest cycle if there is
///                        none.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace kport {

using EventId = std::uint32_t;
inline constexpr EventId no_event = std::numeric_limits<EventId>::max();

/// Why an event comes before another.
enum class Before : std::uint8_t {
    in_program,  ///< an earlier step of the same program, or an earlier part of the same step
    awaited,     ///< a message, dependence or signal that publishes what was written before it
    relaxed      ///< orders execution only: what was written before it need not be visible
};

/// The relation "happens before" of events, which are numbered from 0. One thread.
class Precedence {
  public:
    struct Edge {
        EventId before = no_event;
        Before why = Before::in_program;
    };

    explicit Precedence(std::size_t events = 0) : before_(events) {}

    EventId add() {
        before_.emplace_back();
        return static_cast<EventId>(before_.size() - 1);
    }
    void order(EventId before, EventId after, Before why) {
        std::vector<Edge>& edges = before_[after];
        if (edges.empty() || edges.back().before != before || edges.back().why != why) edges.push_back({before, why});
    }

    [[nodiscard]] EventId size() const { return static_cast<EventId>(before_.size()); }
    [[nodiscard]] std::span<const Edge> before(EventId event) const { return before_[event]; }
    /// Returns the successors of each event. O(V + E).
    [[nodiscard]] std::vector<std::vector<EventId>> followers() const;

    /// Returns all events in topological order, the lowest ready event first; nothing if there is a cycle. O(E log V).
    [[nodiscard]] std::optional<std::vector<EventId>> topological() const;
    /// Returns a cycle with the fewest waits (edges that are not in_program), each event with why it is behind the next
    /// one. There must be a cycle with a wait. The work is bounded: beyond that, the best cycle so far.
    [[nodiscard]] std::vector<Edge> shortest_cycle() const;

  private:
    [[nodiscard]] std::vector<EventId> executable() const;

    std::vector<std::vector<Edge>> before_;
};

}  // namespace kport
