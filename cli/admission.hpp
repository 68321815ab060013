/// @file admission.hpp   Checks that a run fits into memory, before anything is allocated.
#pragma once

#include "cli/settings.hpp"

namespace kport::cli {

/// The peak memory of a run of the algorithm, an upper estimate; a double, because a request may be absurdly
/// large. Without an algorithm: the part that every run takes.
[[nodiscard]] double bytes_needed(const Settings& settings, const Algorithm* algorithm);

/// Throws DoesNotFit, with the need and the available memory, unless such a run fits together with `besides` other bytes;
/// also if its counts would exceed 64 bits.
void require_fit(const Settings& settings, const Algorithm* algorithm, double besides = 0);

}  // namespace kport::cli
