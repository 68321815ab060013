/// @file msccl_program.hpp   The steps of MSCCL's thread blocks as events: their dependences, and the slots that they
///                           access.
#pragma once

#include <vector>

#include "app/files/msccl_text.hpp"
#include "app/files/slot_program.hpp"
#include "emulator/report/judgement.hpp"

namespace kport::msccl {

/// The program with messages matched and dependences resolved. With findings it is not executed.
struct BuiltProgram {
    slots::SlotProgram program = {};
    std::vector<const Step*> steps = {};    ///< by event
    std::vector<FoundFault> findings = {};  ///< unmatched messages, wrong counts, and endless waits
};

/// Turns each step into an event, in the order of GPUs, blocks and steps. The layout says which names are one slot. O(S
/// log S).
[[nodiscard]] BuiltProgram build_program(const Algorithm& algorithm, const slots::Layout& layout);

}  // namespace kport::msccl
