/// @file reach.hpp   Lower bounds, and which of them the catalogue is known to reach (model.md section 2).
#pragma once

#include "algorithms/bounds/bounds.hpp"

namespace KPORT_PUBLIC kport {

/// lower_bounds(), extended by the expected cost of the catalogue's algorithms, here and with one port. Values and
/// arguments are unchanged; more is known about whether they can be reached. Never looks at a run. With
/// Collective::in_runs it names algorithms for an operator that does not commute, and no volume where that follows from
/// the runs.
///
/// Any thread. Omits algorithms with tables on more than 2^14 nodes, and all algorithms on more than 2^31.
[[nodiscard]] Bounds reached_bounds(const Machine& machine, const Collective& collective);

}  // namespace kport
