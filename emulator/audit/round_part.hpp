/// @file round_part.hpp   What the nodes of one process show of a round.
#pragma once

#include "emulator/audit/encounters.hpp"
#include "emulator/audit/shown.hpp"
#include "emulator/machine/metrics.hpp"

namespace KPORT_PUBLIC kport {

/// Sums of a round: metrics and fingerprints of the transfers shown.
struct RoundSums {
    RoundMetrics metrics;
    Shown sent;
    Shown received;

    /// Whether senders and receivers showed the same transfers, all of this round.
    [[nodiscard]] bool agree() const { return sent == received && sent.rounds == sent.transfers * metrics.round; }
    /// Returns the sums, from any type that derives from them.
    [[nodiscard]] const RoundSums& sums() const { return *this; }
    /// Turns them into those of the next round, if it has the same transfers.
    void advance() {
        ++metrics.round;
        sent.rounds += sent.transfers;
        received.rounds += received.transfers;
    }
    /// Adds the sums of other nodes in the same round.
    void add(const RoundSums& other) {
        metrics.add(other.metrics);
        sent += other.sent;
        received += other.received;
    }
};

/// What must be added up over all processes before a round can be judged as a whole.
struct RoundPart : RoundSums {
    Encounters encounters;
};

}  // namespace kport
