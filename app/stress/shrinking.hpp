/// @file shrinking.hpp   Search for the smallest machine on which a case still fails.
#pragma once

#include <cstdint>
#include <functional>

#include "app/stress/subject.hpp"

namespace kport {

/// Whether a case still fails in the same way.
using StillFails = std::function<bool(const Case&)>;

struct Shrunk {
    Case c;
    std::uint64_t tries = 0;  ///< cases tried
    bool smallest = false;    ///< every smaller machine of the families was tried, from every source
};

/// First simplifies the case step by step (one port, full duplex, store-and-forward, source 0, shorter sides), then
/// tries all smaller machines, the smallest first, from every source, until one fails or `tries_max` are used up.
///
/// Requires  still_fails(c).
[[nodiscard]] Shrunk shrunk(const Case& c, const Subject& subject, const StillFails& still_fails,
                            std::uint64_t tries_max);

}  // namespace kport
