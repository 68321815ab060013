/// @file thinned.hpp   Algorithms that are written for equal counts, where the counts of packets differ.
#pragma once

#include <memory>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Whether the algorithm runs by a thinned schedule, because the counts of packets differ and its rule does not know them.
[[nodiscard]] bool is_thinned(const Algorithm& algorithm, const Machine& machine, const Collective& collective);

/// Returns the schedule without the packets that there are not. Messages without packets are not sent, and a round in which no
/// message is left is left out: the later ones move up, in their order. What was held then is held still, since sends only move
/// earlier together. O(transfers and the packets' columns).
[[nodiscard]] Schedule thinned(const Schedule& schedule, const Collective& collective);

/// Returns the schedule by which the algorithm moves packets forward: that of its rule for as many packets of all as those have
/// that have most, thinned. Requires is_thinned(). Small ones are kept. Runs the rule without bytes.
[[nodiscard]] std::shared_ptr<const Schedule> thinned_schedule(const Algorithm& algorithm, const Machine& asked,
                                                               const Collective& collective,
                                                               const AlgorithmOptions& options);

/// Returns what it costs, counted if the rule sends few messages; else nothing is known before the run.
[[nodiscard]] ExpectedCost expected_thinned(const Algorithm& algorithm, const Machine& asked,
                                            const Collective& collective, const AlgorithmOptions& options);

}  // namespace kport
