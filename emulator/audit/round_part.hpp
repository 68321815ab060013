/// @file round_part.hpp   A round as the nodes of one process show it.
#pragma once

#include "emulator/audit/encounters.hpp"
#include "emulator/audit/shown.hpp"
#include "emulator/machine/metrics.hpp"

namespace KPORT_PUBLIC kport {

/// What must be put together before a round can be judged as a whole: what was shown of it, and measured.
struct RoundPart {
    RoundMetrics metrics;
    Shown sent;
    Shown received;
    Encounters encounters;

    /// Takes in the part of other nodes, of the same round.
    void add(RoundPart& other) {
        metrics.add(other.metrics);
        sent += other.sent;
        received += other.received;
        encounters.take(other.encounters);
    }
    /// Shows an archive all of it (ranks/letter.hpp).
    template <class Archive>
    void travel(Archive& archive) {
        archive(metrics, sent, received, encounters);
    }
};

}  // namespace kport
