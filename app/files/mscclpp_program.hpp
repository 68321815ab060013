/// @file mscclpp_program.hpp   The operations of an MSCCL++ plan as events: their order, and the slots that they
///                             access.
#pragma once

#include <string>
#include <vector>

#include "app/files/mscclpp_plan.hpp"
#include "app/files/slot_program.hpp"
#include "emulator/report/judgement.hpp"

namespace kport::mscclpp {

/// The program with signals and packets matched. With findings it is not executed.
struct BuiltProgram {
    slots::SlotProgram program = {};
    std::vector<Round> rounds = {};         ///< of each message, from the file; 0: none
    std::vector<FoundFault> findings = {};  ///< unmatched signals, waits, packets and barriers
};

/// Operations of a block are unordered, except signals and waits among themselves, unless a nop or barrier is between
/// them.
[[nodiscard]] BuiltProgram build_program(const Plan& plan, const slots::Layout& layout);

/// Returns what would order two events of a race: "a nop between them".
[[nodiscard]] std::string missing_synchronization(const BuiltProgram& built, EventId first, EventId second);

}  // namespace kport::mscclpp
