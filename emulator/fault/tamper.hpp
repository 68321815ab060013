/// @file tamper.hpp   Injection of one fault into one transfer: one function a fault.
#pragma once

#include <optional>
#include <vector>

#include "emulator/base/dice.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/fault/moves.hpp"

namespace kport::tamper {

/// Each changes the moves so that the fault is in the i-th, and returns what an auditor must find; nothing, and no change,
/// if the fault has no place there or would break no rule.
using Tamper = std::optional<Injected>(Moves& moves, std::size_t i, Dice& dice);

// Content and receiver (delivering.cpp).
Tamper drop, duplicate, echo, misdeliver, forge, send_unheld, take_apart, corrupt, lose_payload, bundle, malformed;
// Rounds (timing.cpp).
Tamper reorder, late, same_round, silent_round;
// Ports and links (linking.cpp).
Tamper exceed_sends, exceed_receives, exceed_both, second_partner, channel_twice, link_both_ways, jump, no_such_edge,
    visit_twice;

/// The same path from its end to its start.
[[nodiscard]] std::vector<Port> way_back(const Moves& moves, const Move& move);
/// violation_names() of these moves.
[[nodiscard]] std::vector<PacketId> names(const Moves& moves, std::span<const PacketBlock> packets);
/// "the message of round 2 from node 1 to node 3".
[[nodiscard]] std::string named(const Moves& moves, const Move& move);

}  // namespace kport::tamper
