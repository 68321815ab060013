/// @file shrinking.hpp   The smallest machine on which something still goes wrong.
#pragma once

#include <cstdint>
#include <functional>

#include "stress/subject.hpp"

namespace kport {

/// Whether a case still fails in the same way.
using StillFails = std::function<bool(const Case&)>;

struct Shrunk {
    Case c;
    std::uint64_t tries = 0;  ///< cases that were tried for it
    bool smallest = false;    ///< every smaller machine of the families was tried, from every source
};

/// First makes the case plainer step by step (one port, full duplex, store-and-forward, a source 0, shorter sides), then tries
/// all smaller machines, the smallest first, from every source, until one fails or `tries_max` are spent.
///
/// Requires  still_fails(c).
[[nodiscard]] Shrunk shrunk(const Case& c, const Subject& subject, const StillFails& still_fails,
                            std::uint64_t tries_max);

}  // namespace kport
