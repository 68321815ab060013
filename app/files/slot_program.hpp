/// @file slot_program.hpp   Programs that move chunks of memory between slots: judged whole, whatever order they are executed in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "app/files/earliest_rounds.hpp"
#include "app/files/event_graph.hpp"
#include "app/files/slot_layout.hpp"
#include "emulator/report/judgement.hpp"

namespace kport::slots {

/// One of the values of a move comes to a rank in a message.
struct Receipt {
    static constexpr std::uint32_t result = ~std::uint32_t{0};

    std::uint32_t message = 0;
    std::uint32_t value = result;  ///< number of a source, or the result
    bool is_folded = false;        ///< on arrival, with others
};

/// All targets := sum of all sources, chunk by chunk; each names its first chunk.
struct Move {
    boost::container::small_vector<Slot, 2> sources = {};
    boost::container::small_vector<Slot, 2> targets = {};
    std::uint64_t count = 1;
    boost::container::small_vector<Receipt, 1> receipts = {};
};

/// A message between ranks.
struct SlotMessage {
    NodeId from = no_node;
    NodeId to = no_node;
    EventId sent_by = no_event;
    bool brings_result = false;  ///< of an event that messages come to: it goes after them
};

/// Events that nothing in the memory says must be ordered, with the sentence that is the fault where they are not.
struct DemandedOrder {
    WantedOrder order;
    std::string otherwise;
};

struct SlotProgram {
    EventGraph graph = {};
    bool blocks_are_ordered = true;             ///< a step of a block ends before the next begins
    std::vector<std::vector<Move>> moves = {};  ///< by event; may be shorter
    std::vector<SlotMessage> messages = {};
    std::vector<DemandedOrder> demands = {};

    [[nodiscard]] EventId add(RankEvent event) {
        moves.emplace_back();
        return graph.add(std::move(event));
    }
};

/// What the judge found. Contents are those of the given order; with a race they depend on chance, and no fault of them is named.
struct SlotJudgement {
    std::vector<FoundFault> findings = {};
    bool has_race = false;
    std::vector<std::vector<Value>> carried = {};  ///< by message: the values of its chunks
};

/// A copy that would bring an output what it must hold: chunks of a GPU that hold it at the end.
struct WantedCopy {
    Slot from = 0;
    Slot to = 0;
    std::uint64_t count = 1;
    EventId written_by = no_event;  ///< the last write of `from`; no event: it stood there at the start
};

/// What a program can be changed by. Its words stand in the sentences of faults.
struct Remedies {
    /// What would order two events of a race: "depid=\"0\" deps=\"1\" at block 1 step 1".
    std::function<Repair(EventId first, EventId second)> order;
    /// What would copy; null: nothing is suggested.
    std::function<Repair(const WantedCopy&)> copy = {};
};

/// Executes the program in an order that is topological. Races are found whatever the order is.
/// Cost     O(accesses + not_ordered()), and what folding costs.
[[nodiscard]] SlotJudgement judge(const SlotProgram& program, const Layout& layout, const std::vector<EventId>& order,
                                  const Remedies& remedies);

/// The messages of the program for the search for rounds: in their order, each after those that must come before it.
[[nodiscard]] std::vector<LooseMessage> messages_of(const SlotProgram& program, const std::vector<EventId>& order,
                                                    const Topology& topology);

/// The values of a message as packets of the collective, which must promise something. A message of unknown values only counts as
/// packet 0.
[[nodiscard]] PacketSet packets_in(const std::vector<Value>& values, const Layout& layout);

}  // namespace kport::slots
