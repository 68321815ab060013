/// @file mscclpp_program.hpp   The operations of an MSCCL++ plan as events: what orders them, and which slots they touch.
#pragma once

#include <string>
#include <vector>

#include "app/files/mscclpp_plan.hpp"
#include "app/files/slot_program.hpp"
#include "emulator/report/judgement.hpp"

namespace kport::mscclpp {

/// Signals and packets matched. What is found here leaves the program without an execution.
struct BuiltProgram {
    slots::SlotProgram program = {};
    std::vector<Round> rounds = {};         ///< of each message, as the file says them; 0: it does not
    std::vector<FoundFault> findings = {};  ///< signals, waits, packets and barriers without partners
};

/// Operations of a block are in no order, but for signals and waits among themselves, unless a nop or barrier stands between them.
[[nodiscard]] BuiltProgram build_program(const Plan& plan, const slots::Layout& layout);

/// What would order two events of a race: "a nop between them".
[[nodiscard]] std::string missing_synchronization(const BuiltProgram& built, EventId first, EventId second);

}  // namespace kport::mscclpp
