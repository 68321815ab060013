/// @file drawn.hpp   What families of random graphs share: their generator, their limits.
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "emulator/base/memory_limit.hpp"
#include "emulator/topology/family.hpp"

namespace kport {

/// Random graphs are defined by this generator: a seed names the same graph everywhere.
/// Source    Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA (2014).
class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    /// Returns a number in 0 .. n-1: the high half of the product.
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return static_cast<std::uint64_t>((Wide{word()} * n) >> 64); }

  private:
    __extension__ using Wide = unsigned __int128;

    std::uint64_t word() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }

    std::uint64_t state_;
};

inline constexpr NodeId drawn_nodes_max = NodeId{1} << 30;
inline constexpr Parameters::Wanted seed_wanted{"seed", 0, ~std::uint64_t{0}};

/// Throws DoesNotFit unless there is memory for the links, while they are drawn and afterwards.
inline void require_room(const Parameters& given, double links) {
    constexpr double bytes_link = 64;
    constexpr double gib = 1024.0 * 1024 * 1024;
    const auto there = static_cast<double>(memory_available());
    if (bytes_link * links > there)
        given.does_not_fit(fmt::format("about {:.1f} GiB are needed and {:.1f} GiB are available",
                                       bytes_link * links / gib, there / gib));
}

}  // namespace kport
