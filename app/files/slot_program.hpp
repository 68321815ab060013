/// @file slot_program.hpp   Programs that move chunks of memory between slots: judged as a whole, for every order of
///                          execution.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "app/files/earliest_rounds.hpp"
#include "app/files/event_graph.hpp"
#include "app/files/ranked.hpp"
#include "app/files/slot_layout.hpp"
#include "app/files/told_schedule.hpp"
#include "emulator/report/judgement.hpp"

namespace kport::slots {

/// The receipt of one value of a move in a message.
struct Receipt {
    static constexpr std::uint32_t result = ~std::uint32_t{0};

    std::uint32_t message = 0;
    std::uint32_t value = result;  ///< number of a source, or the result
    bool is_folded = false;        ///< combined with others on arrival
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
    bool brings_result = false;  ///< for an event that receives messages: it goes after them
};

/// Events that must be ordered although they share no memory, with the sentence of the fault if they are not.
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

/// The judge's result. Contents are those of the given order; with a race they depend on chance, and no fault of them
/// is reported.
struct SlotJudgement {
    std::vector<FoundFault> findings = {};
    bool has_race = false;
    std::vector<std::vector<Value>> carried = {};  ///< by message: the values of its chunks
};

/// A copy that would give an output what it must hold, from chunks of the GPU that hold it at the end.
struct WantedCopy {
    Slot from = 0;
    Slot to = 0;
    std::uint64_t count = 1;
    EventId written_by = no_event;  ///< the last write of `from`; no event: there from the start
};

/// Suggested repairs. Their words are used in the sentences of faults.
struct Remedies {
    /// Returns what would order two events of a race: "depid=\"0\" deps=\"1\" at block 1 step 1".
    std::function<Repair(EventId first, EventId second)> order;
    /// Returns what would copy; null: nothing is suggested.
    std::function<Repair(const WantedCopy&)> copy = {};
};

/// Executes the program in a topological order. Finds races whatever the order is.
/// Cost     O(accesses + not_ordered()), and the cost of combining.
[[nodiscard]] SlotJudgement judge(const SlotProgram& program, const Layout& layout, const std::vector<EventId>& order,
                                  const Remedies& remedies);

/// Returns the messages of the program for the search for rounds: in their order, each after its predecessors.
[[nodiscard]] std::vector<LooseMessage> messages_of(const SlotProgram& program, const std::vector<EventId>& order,
                                                    const Topology& topology);

/// Returns the values of a message as packets of the collective, which must promise something. A message of only
/// unknown values counts as packet 0.
[[nodiscard]] PacketSet packets_in(const std::vector<Value>& values, const Layout& layout);

/// Returns what may end a deadlock with this cycle.
using CycleRemedy = std::function<std::vector<Repair>(const std::vector<Precedence::Edge>& cycle)>;

/// Returns an order in which the program can be executed. Nothing if there are findings already, or a deadlock, which
/// is then added to the judgement; nothing else is judged.
[[nodiscard]] std::optional<std::vector<EventId>> order_of(const SlotProgram& program, std::vector<FoundFault> findings,
                                                           ToldSchedule& told, const CycleRemedy& remedy = {});

/// Adds what was judged: order and races, and contents if something is promised.
void note_judged(ToldSchedule& told, bool promises);

struct JudgedProgram {
    const SlotProgram& program;
    const SlotJudgement& judgement;
    const Layout& layout;
    const std::vector<EventId>& order;
};

/// Adds the messages as transfers. `rounds`: of the messages, if the file gives them; messages of one round between two
/// ranks are then merged. If empty, or if a schedule that is judged breaks a rule by them, the earliest rounds are
/// searched.
void add_transfers(ToldSchedule& told, const JudgedProgram& judged, std::vector<Round> rounds,
                   const ScheduleContext& context, const Refuse& refuse);

}  // namespace kport::slots
