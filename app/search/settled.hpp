/// @file settled.hpp   Which bounds of a small machine can be reached, found by search where no formula tells.
#pragma once

#include "algorithms/bounds/bounds.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport::search {

/// The largest machine whose bounds are settled.
inline constexpr NodeId settled_nodes_max = 8;

/// The bounds; where it is not known whether one can be reached, a search says so, or between which values the least cost lies.
/// Other machines and questions (settled_nodes_max, wormholes, rules that are not law, more than 16 packets of all nodes) stay
/// as they are.
///
/// Callers   any thread. The same answers on every computer: the solver's conflicts are limited, not its time; about a second.
[[nodiscard]] Bounds settled(const Machine& machine, const Collective& collective, Bounds bounds);

}  // namespace kport::search
