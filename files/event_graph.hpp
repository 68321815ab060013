/// @file event_graph.hpp   Events of ranks and what must come before what: an order to execute them, deadlocks, happens-before.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/base/types.hpp"

namespace kport {

using EventId = std::uint32_t;
inline constexpr EventId no_event = std::numeric_limits<EventId>::max();

/// A step of a block of a rank. Steps of a barrier, or of a rank as a whole, have no block.
struct RankEvent {
    static constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();

    NodeId rank = 0;
    std::uint32_t block = no_block;
    std::uint32_t step = 0;
    std::string what = {};  ///< "r from 3"
};

/// Why an event comes before another.
enum class Before : std::uint8_t {
    in_program,  ///< an earlier step of the block
    awaited,     ///< a message, a dependence or a signal that publishes what was written before it
    relaxed      ///< orders execution only: what was written before it need not be visible
};

/// Events with the relation "happens before".
class EventGraph {
  public:
    struct Edge {
        EventId before = no_event;
        Before why = Before::in_program;
    };

    [[nodiscard]] EventId add(RankEvent event);
    void order(EventId before, EventId after, Before why) {
        std::vector<Edge>& edges = before_[after];
        if (edges.empty() || edges.back().before != before || edges.back().why != why) edges.push_back({before, why});
    }

    [[nodiscard]] EventId size() const { return static_cast<EventId>(events_.size()); }
    [[nodiscard]] const RankEvent& at(EventId event) const { return events_[event]; }

    [[nodiscard]] std::span<const Edge> before(EventId event) const { return before_[event]; }

    /// All events, each behind those before it, of the ready ones the lowest first; nothing if there is a cycle. O(E log V).
    [[nodiscard]] std::optional<std::vector<EventId>> topological() const;
    /// Describes a cycle with the fewest waits, step by step; requires that there is one.
    [[nodiscard]] std::string cycle_in_words() const;

    /// "GPU 3 block 0 step 1"; with what it does: "GPU 3 block 0 step 1 (s)".
    [[nodiscard]] std::string place_of(EventId event) const;
    [[nodiscard]] std::string name_of(EventId event) const;

  private:
    [[nodiscard]] std::vector<EventId> executable() const;
    [[nodiscard]] std::vector<Edge> shortest_cycle() const;

    std::vector<RankEvent> events_;
    std::vector<std::vector<Edge>> before_;
};

/// Two events that must be ordered.
struct WantedOrder {
    EventId first = no_event;
    EventId second = no_event;
    bool relaxed_is_enough = false;
};

/// Which of the pairs the graph does not order, by number. `order` is topological, and in it each `first` stands before its
/// `second`. O(pairs log pairs + S / 512 * (V + E)) at worst for S different first events, less where the pairs lie near each other.
[[nodiscard]] std::vector<std::size_t> not_ordered(const EventGraph& graph, const std::vector<EventId>& order,
                                                   const std::vector<WantedOrder>& pairs);

}  // namespace kport
