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

    /// Whether both sides have shown the same, of this round.
    [[nodiscard]] bool agree() const { return sent == received && sent.rounds == sent.transfers * metrics.round; }
    /// Of whatever holds them: the sums alone.
    [[nodiscard]] const RoundSums& sums() const { return *this; }
    /// They are those of the next round, which has the same.
    void advance() {
        ++metrics.round;
        sent.rounds += sent.transfers;
        received.rounds += received.transfers;
    }
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
