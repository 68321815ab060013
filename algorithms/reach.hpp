/// @file reach.hpp   Lower bounds, and what the catalogue is known to reach of them (model.md section 2).
#pragma once

#include "algorithms/bounds/bounds.hpp"

namespace KPORT_PUBLIC kport {

/// lower_bounds(), which knows of schedules that exist; and of the algorithms of the catalogue what each is expected to cost
/// here, or with one port of the machine's. The values and arguments are the same: this tells more of what can be reached.
/// Never looks at a run. In runs (Collective::in_runs) it names what serves an operator that does not commute, and no volume where
/// that follows from the runs.
///
/// Any thread. Left out are algorithms that keep tables where there are more than 2^14 nodes, and all where more than 2^31.
[[nodiscard]] Bounds reached_bounds(const Machine& machine, const Collective& collective);

}  // namespace kport
