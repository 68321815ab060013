/// @file earliest_rounds.hpp   Rounds for messages of which only the order is known.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// A message without a round.
struct LooseMessage {
    NodeId from = no_node;
    NodeId to = no_node;
    std::vector<Port> route = {};
    PacketSet packets = {};
    std::vector<std::uint32_t> after = {};  ///< messages, by number, that arrive in an earlier round
};

/// A round for each message: list scheduling. A message becomes ready in the round after the last of those it comes after;
/// of the ready ones the lowest number goes first, in the earliest round in which ports and channels of its way are free.
///
/// Cost     O(messages * log), if few messages wait for the same port.
/// Errors   RequestError for messages that wait for each other in a circle: one of them by its number.
[[nodiscard]] std::vector<Round> earliest_rounds(const std::vector<LooseMessage>& messages, const Machine& machine);

}  // namespace kport
