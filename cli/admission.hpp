/// @file admission.hpp   Whether a run fits into memory, asked before anything is allocated.
#pragma once

#include "cli/settings.hpp"

namespace kport::cli {

/// Bytes that a run of the algorithm takes at its fullest, estimated on the safe side; a double, because what is asked
/// for may be absurd. Without an algorithm: what every run takes.
[[nodiscard]] double bytes_needed(const Settings& settings, const Algorithm* algorithm);

/// Throws DoesNotFit, with the need and what there is, unless such a run fits, with `besides` more bytes that something
/// else holds at the same time; also where its counts would outgrow 64 bits.
void require_fit(const Settings& settings, const Algorithm* algorithm, double besides = 0);

}  // namespace kport::cli
