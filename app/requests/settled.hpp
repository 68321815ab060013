/// @file settled.hpp   Bounds of small machines with what a search says of them.
#pragma once

#include "algorithms/bounds/bounds.hpp"
#include "app/session/experiment.hpp"
#include "emulator/report/report.hpp"

namespace kport::requests {

/// The experiment's bounds as search::settled() leaves them.
[[nodiscard]] Bounds settled(const Experiment& experiment, Bounds bounds);

/// Settles the report's bounds that its run does not meet; without cost where it meets all or what can be reached is known.
void settle_bounds(const Experiment& experiment, Report& report);

}  // namespace kport::requests
