/// @file earliest_rounds.hpp   Rounds for messages of which only the order is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/machine/machine.hpp"

namespace kport {

/// A message without a round, or a point that messages wait for and that takes no round, such as the end of a receive.
struct LooseMessage {
    NodeId from = no_node;  ///< no_node: a point
    NodeId to = no_node;
    std::vector<Port> route = {};
    std::vector<std::uint32_t> after = {};       ///< messages, by number, that arrive in an earlier round; points
    std::vector<std::uint32_t> not_before = {};  ///< messages, by number, that go in the same round or earlier

    [[nodiscard]] bool is_point() const { return from == no_node; }
};

/// Rounds, and how good they are.
struct EarliestRounds {
    std::vector<Round> rounds = {};  ///< of each message; of a point the round from which it has passed
    Round last = 0;                  ///< the number of rounds
    Round least = 0;                 ///< no order takes fewer rounds; `last` where that is proven
    std::string binding = {};        ///< the argument: "critical path", "send port of rank 0"
};

/// Few rounds for all messages: list scheduling, longest tail first, with several rules for ties; lower bounds by the critical
/// path, ports and channels; exact search for few messages. Deterministic.
///
/// Cost     O(messages * log) for each of a bounded number of tries.
/// Errors   RequestError for messages that wait for each other in a circle: one of them by its nodes.
[[nodiscard]] EarliestRounds earliest_rounds(const std::vector<LooseMessage>& messages, const Machine& machine);

}  // namespace kport
