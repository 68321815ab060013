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

// Repairs of MSCCL's XML: missing dependences, hasdep flags and copies.

/// Orders one step before another of its GPU in another block: by depid and deps of that step, or of a nop before it if
/// it waits for a third block.
[[nodiscard]] Repair missing_dependence(const Algorithm& algorithm, const BuiltProgram& built, EventId first,
                                        EventId second);

/// Copies a slot to another of its GPU: at the end of the block that wrote it, or in a new block if none did.
[[nodiscard]] Repair missing_copy(const Algorithm& algorithm, const BuiltProgram& built, const slots::WantedCopy& copy);

/// Makes a step that is waited for publish its end, instead of a later step of its block. Without edits if no such step
/// can.
[[nodiscard]] Repair publishing_at_once(NodeId rank, const Step& waiting, const std::vector<Step>& steps_of_block);

/// Makes the steps of a deadlock's cycle wait only for the steps that they name.
[[nodiscard]] std::vector<Repair> repairs_of_cycle(const Algorithm& algorithm, const BuiltProgram& built,
                                                   const std::vector<Precedence::Edge>& cycle);

}  // namespace kport::msccl
