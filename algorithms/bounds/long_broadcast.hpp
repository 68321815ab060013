/// @file long_broadcast.hpp   Lower bounds of a broadcast of M > 1 packets (model.md section 13.1).
#pragma once

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"

namespace kport::bounds {

/// Adds the arguments on the volume in packets, on the rounds where a message holds one packet, and on the path sum
/// that follows. Reversed in time they hold for a reduction of M segments.
void add_long_broadcast(const Facts& facts, Derivation& found);

/// Adds what is known beyond the bounds: consequences of the minimum for a single packet, and minima found by search
/// (model.md section 13.2).
void about_long_broadcast(const Facts& facts, const Derivation& found, Knowledge& known);

}  // namespace kport::bounds
