/// @file tampering.hpp   Injection of faults into a schedule, with the findings that an auditor must report.
#pragma once

#include <optional>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/fault/moves.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

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

namespace kport {

struct Tampered {
    Schedule schedule;
    std::vector<Injected> faults;
    /// Faults of bytes: the transfers whose bytes change or are lost, as indices in the schedule.
    std::vector<std::size_t> struck;
};

/// Injects the fault once into a lawful schedule, at a random transfer. Returns nothing if it applies nowhere or would
/// break no rule (a lost packet that no node needs). The expected finding follows from the lawful schedule and the
/// model, not from an audit.
///
/// Requires  a lawful schedule, and a fault of FaultPlace::transfers.
/// Cost      O(transfers), and a search of the sender's and the receiver's other transfers.
[[nodiscard]] std::optional<Tampered> tampered(const Schedule& schedule, const Machine& machine,
                                               const Collective& collective, Fault fault, Dice& dice);

/// Injects the fault into each message independently with a probability. One fault may cancel another, so none is
/// certain.
[[nodiscard]] Tampered tampered_often(const Schedule& schedule, const Machine& machine, const Collective& collective,
                                      Fault fault, double probability, Dice& dice);

}  // namespace kport
