/// @file event_graph.hpp   Events of ranks and their order: an order of execution, deadlocks, happens-before.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "app/files/precedence.hpp"
#include "emulator/base/types.hpp"

namespace kport {

/// A step of a block of a rank. Steps of a barrier, or of a whole rank, have no block.
struct RankEvent {
    static constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();

    NodeId rank = 0;
    std::uint32_t block = no_block;
    std::uint32_t step = 0;
    std::string what = {};  ///< "r from 3"
};

/// Events of ranks with the relation "happens before".
class EventGraph : public Precedence {
  public:
    EventId add(RankEvent event);
    [[nodiscard]] const RankEvent& at(EventId event) const { return events_[event]; }

    /// Describes a cycle of shortest_cycle(), step by step.
    [[nodiscard]] std::string cycle_in_words(std::vector<Edge> cycle) const;

    /// Returns "GPU 3 block 0 step 1"; with its action: "GPU 3 block 0 step 1 (s)".
    [[nodiscard]] std::string place_of(EventId event) const;
    [[nodiscard]] std::string name_of(EventId event) const;

  private:
    std::vector<RankEvent> events_;
};

/// Two events that must be ordered.
struct WantedOrder {
    EventId first = no_event;
    EventId second = no_event;
    bool relaxed_is_enough = false;
};

/// Returns the indices of the pairs that the graph does not order. `order` is topological, and in it each `first` is
/// before its `second`. O(pairs log pairs + S / 512 * (V + E)) at worst for S different first events, less where pairs
/// are close together.
[[nodiscard]] std::vector<std::size_t> not_ordered(const EventGraph& graph, const std::vector<EventId>& order,
                                                   const std::vector<WantedOrder>& pairs);

}  // namespace kport
