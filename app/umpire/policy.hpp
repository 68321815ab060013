/// @file policy.hpp   Which message goes when claims compete: docs/model.md, section 8, word for word.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "app/umpire/umpire.hpp"

namespace kport::umpire {

/// A send as requested by a program.
struct Send {
    Number asked;  ///< the round of the request
    Number from;
    Number to;
    std::vector<Number> route;  ///< as in a Message; empty: adaptive routing chooses it
    Number declaration = none;  ///< sends of a node with equal numbers were declared to belong to the round `asked`
};

/// The outcome for the sends.
struct Arbitration {
    std::vector<Number> moved;                ///< by send: the round in which it moves
    std::vector<std::vector<Number>> routes;  ///< by send: its route, or the one that was chosen
    /// What the strict policy must report, by round and sender: for each message that would have to wait, the sender of the
    /// message in its way; `none` for a declaration that exceeds its ports, the partner for one that needs two.
    std::map<std::pair<Number, Number>, std::vector<Number>> waits;
};

/// Plays the sends under the queue policy on the machine of a game, whose messages are ignored. The sends of a node are
/// in the order of their requests. The strict policy has the same moves.
///
/// `stops` as in judge().  Cost  O(rounds * (N + claims * (log + path length))): for small machines.
[[nodiscard]] Arbitration arbitrate(const Game& machine, const std::vector<Send>& sends,
                                    const std::function<bool()>& stops = {});

}  // namespace kport::umpire
