/// @file tampering.hpp   Injection of faults into a schedule, with the findings that an auditor must report.
#pragma once

#include <optional>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

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
