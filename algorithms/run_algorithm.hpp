/// @file run_algorithm.hpp   Runs an algorithm of the catalogue, whichever way it comes about.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

/// What becomes of the bytes: copied at every hop and checked at the end, or counted alone.
struct Payload {
    bool copied = true;
    std::uint64_t seed = 1;
};

/// Runs the algorithm to its end. One that is reversed in time is run forward with sizes counted alone and recorded; its
/// schedule is reversed and replayed with the bytes. The result's time is that of all of it.
///
/// Requires  !misfit_of(...).
/// Errors    as run_lockstep() and replay().
[[nodiscard]] RunResult run_algorithm(const Algorithm& algorithm, const Machine& machine, const Request& request,
                                      const AlgorithmOptions& options, const Payload& payload,
                                      const RunOptions& run_options);

}  // namespace kport
