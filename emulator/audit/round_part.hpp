/// @file round_part.hpp   A round as the nodes of one process show it.
#pragma once

#include "emulator/audit/encounters.hpp"
#include "emulator/audit/shown.hpp"
#include "emulator/machine/metrics.hpp"

namespace KPORT_PUBLIC kport {

/// What was measured of a round, and shown.
struct RoundSums {
    RoundMetrics metrics;
    Shown sent;
    Shown received;

    /// Takes in those of other nodes, of the same round.
    void add(const RoundSums& other) {
        metrics.add(other.metrics);
        sent += other.sent;
        received += other.received;
    }
};

/// What must be put together before a round can be judged as a whole.
struct RoundPart : RoundSums {
    Encounters encounters;
};

}  // namespace kport
