/// @file earliest_rounds.hpp   Rounds for messages of which only the order is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/machine/machine.hpp"

namespace kport {

/// A message without a round, or a point: an event that takes no round and that messages wait for, such as the end of a
/// receive.
struct LooseMessage {
    NodeId from = no_node;  ///< no_node: a point
    NodeId to = no_node;
    std::vector<Port> route = {};
    /// numbers of messages that must arrive in an earlier round, and of points
    std::vector<std::uint32_t> after = {};
    std::vector<std::uint32_t> not_before = {};  ///< numbers of messages that must go in this round or earlier

    [[nodiscard]] bool is_point() const { return from == no_node; }
};

/// Rounds, and how good they are.
struct EarliestRounds {
    std::vector<Round> rounds = {};  ///< of each message; of a point the round from which on it has passed
    Round last = 0;                  ///< the number of rounds
    Round least = 0;                 ///< no order takes fewer rounds; equals `last` if that is proven
    std::string binding = {};        ///< the argument: "critical path", "send port of rank 0"
};

/// Finds few rounds for all messages: list scheduling, longest tail first, with several rules for ties; lower bounds by
/// critical path, ports and channels; exact search for few messages. Deterministic.
///
/// Cost     O(messages * log) for each of a bounded number of tries.
/// Errors   RequestError for messages in a cycle of dependences: names one by its nodes.
[[nodiscard]] EarliestRounds earliest_rounds(const std::vector<LooseMessage>& messages, const Machine& machine);

}  // namespace kport
