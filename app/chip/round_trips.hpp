/// @file round_trips.hpp   The time of a cache line from one core to another and back.
#pragma once

#include <span>
#include <vector>

#include "app/chip/pinning.hpp"
#include "app/chip/sampling.hpp"

namespace kport::chip {

/// Two threads, each on its PU, pass a flag back and forth in one cache line, spinning.
struct RoundTrip {
    Pu first = 0;
    Pu second = 0;
    Statistics ns;  ///< both ways; one way is half of it
};

/// `first` and `second` differ. Throws Stopped, DoesNotFit.
[[nodiscard]] RoundTrip round_trip(Pu first, Pu second, const Limits& limits);

}  // namespace kport::chip
