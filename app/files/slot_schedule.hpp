/// @file slot_schedule.hpp   From a judged program of slots to a schedule: rounds and packets of its messages.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/files/ranked.hpp"
#include "app/files/slot_program.hpp"
#include "app/files/told_schedule.hpp"

namespace kport::slots {

/// What may end a deadlock with this cycle.
using CycleRemedy = std::function<std::vector<Repair>(const std::vector<Precedence::Edge>& cycle)>;

/// An order in which the program can be executed. Nothing where there are findings already, or a deadlock: they are in the judgement
/// then, and nothing else is judged.
[[nodiscard]] std::optional<std::vector<EventId>> order_of(const SlotProgram& program, std::vector<FoundFault> findings,
                                                           ToldSchedule& told, const CycleRemedy& remedy = {});

/// Adds what was judged to the judgement: order and races, and contents where something is promised.
void note_judged(ToldSchedule& told, bool promises);

struct JudgedProgram {
    const SlotProgram& program;
    const SlotJudgement& judgement;
    const Layout& layout;
    const std::vector<EventId>& order;
};

/// Adds the messages as transfers. `rounds` of the messages, where the file says them, then messages of one round between two ranks
/// are one; empty, or where a schedule that is judged breaks a rule by them: the earliest are searched.
void add_transfers(ToldSchedule& told, const JudgedProgram& judged, std::vector<Round> rounds,
                   const ScheduleContext& context, const Refuse& refuse);

}  // namespace kport::slots
