/// @file tamper.hpp   Injection of one fault into one transfer: one function a fault.
#pragma once

#include <optional>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/fault/moves.hpp"

namespace kport::tamper {

/// Injects a fault into the i-th move, and returns what an auditor must find. Returns nothing, and changes nothing, if
/// the fault does not apply there or would break no rule.
using Tamper = std::optional<Injected>(Moves& moves, std::size_t i, Dice& dice);

// Content and receiver (delivering.cpp).
Tamper drop, duplicate, echo, misdeliver, forge, send_unheld, take_apart, corrupt, lose_payload, bundle, malformed;
// Rounds (timing.cpp).
Tamper reorder, late, same_round, silent_round;
// Ports and links (linking.cpp).
Tamper exceed_sends, exceed_receives, exceed_both, second_partner, channel_twice, link_both_ways, jump, no_such_edge,
    visit_twice;

/// Returns the message of a node to the neighbour at one of its ports: over that link, in a fabric by the fixed route to
/// that host.
[[nodiscard]] Move move_by_port(const Moves& moves, Round round, NodeId from, Port port, const PacketSet& packets);
/// Returns the path of a move in reverse.
[[nodiscard]] std::vector<Port> way_back(const Moves& moves, const Move& move);
/// Returns violation_names() for these moves.
[[nodiscard]] std::vector<PacketId> names(const Moves& moves, std::span<const PacketBlock> packets);
/// Returns "the message of round 2 from node 1 to node 3".
[[nodiscard]] std::string named(const Moves& moves, const Move& move);

}  // namespace kport::tamper
