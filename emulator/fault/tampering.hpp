/// @file tampering.hpp   Faults put into what moved: a schedule in which something goes wrong, and what must be said of it.
#pragma once

#include <optional>
#include <vector>

#include "emulator/base/dice.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/promise.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

struct Tampered {
    Schedule schedule;
    std::vector<Injected> faults;
    /// Corrupt: the transfers on whose way a bit changes, by their places in the schedule.
    std::vector<std::size_t> corrupted;
};

/// A lawful schedule with the fault put in once, at a place drawn by the dice; nothing where the fault cannot be or would
/// break no rule (nobody misses a packet that nobody wants). What has to be said of it follows from the schedule before and
/// from the model, not from an audit.
///
/// Requires  a lawful schedule, and a fault whose place is `transfers`.
/// Cost      O(transfers), and a search of the sender's and the receiver's other transfers.
[[nodiscard]] std::optional<Tampered> tampered(const Schedule& schedule, const Machine& machine, const Promise& promise,
                                               Fault fault, Dice& dice);

/// The same with the fault at every message for itself with a probability. Faults meet each other: one may heal another, so
/// none of them is certain.
[[nodiscard]] Tampered tampered_often(const Schedule& schedule, const Machine& machine, const Promise& promise,
                                      Fault fault, double probability, Dice& dice);

}  // namespace kport
