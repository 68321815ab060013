/// @file slot_schedule.hpp   From a judged program of slots to a schedule: rounds and packets of its messages.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/files/ranked.hpp"
#include "app/files/slot_program.hpp"
#include "app/files/told_schedule.hpp"

namespace kport::slots {

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
