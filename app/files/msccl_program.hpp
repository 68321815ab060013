/// @file msccl_program.hpp   The steps of MSCCL's thread blocks as events: what waits for what, and which slots they touch.
#pragma once

#include <vector>

#include "app/files/msccl_text.hpp"
#include "app/files/slot_program.hpp"
#include "emulator/report/judgement.hpp"

namespace kport::msccl {

/// Messages matched, dependences resolved. What is found here leaves the program without an execution.
struct BuiltProgram {
    slots::SlotProgram program = {};
    std::vector<const Step*> steps = {};    ///< by event
    std::vector<FoundFault> findings = {};  ///< unmatched, count, and waits without end
};

/// Each step is an event, in the order of GPUs, blocks and steps. The layout says which names are one slot. O(S log S).
[[nodiscard]] BuiltProgram build_program(const Algorithm& algorithm, const slots::Layout& layout);

}  // namespace kport::msccl
