/// @file stories.hpp   Every violation of a schedule with all its fields, computed slowly from their definitions.
#pragma once

#include <vector>

#include "emulator/audit/violation.hpp"
#include "emulator/machine/metrics.hpp"
#include "tests/stress/games.hpp"

namespace kport::test {

/// What audit() has to list, in order, however many; and its table of rounds.
struct Stories {
    std::vector<Violation> violations;
    std::vector<RoundMetrics> per_round;
};
/// Whether every use of a port beyond the limit is a violation. With all ports in full duplex a node has one a round, of
/// which neither the port nor the other node is compared.
[[nodiscard]] bool counts_each_use(const Machine& machine);
[[nodiscard]] Stories stories_of(const ScheduledGame& game);

}  // namespace kport::test
