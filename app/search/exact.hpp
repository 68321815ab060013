/// @file exact.hpp   The algorithm `exact`: a schedule of the fewest rounds, searched for and then run.
#pragma once

namespace kport::search {

/// Adds broadcast `exact` and its reversal, the reduction, to the catalogue. Call once a process.
void know_exact();

}  // namespace kport::search
