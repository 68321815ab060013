/// @file dice.hpp   Repeatable random numbers: the same sequence from the same seed, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "emulator/base/random_words.hpp"

namespace KPORT_PUBLIC kport {

/// Callers   one task at a time.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : seed_(seed) {}

    [[nodiscard]] std::uint64_t word() { return random_word(seed_, 0, ++thrown_); }
    /// Returns a number in 0 .. n - 1 (n >= 1). The modulo bias of 64-bit words is negligible here.
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return word() % n; }
    /// Returns a number in from .. to, both included.
    [[nodiscard]] std::uint64_t between(std::uint64_t from, std::uint64_t to) { return from + below(to - from + 1); }
    [[nodiscard]] bool happens(double probability) { return static_cast<double>(word() >> 11) * 0x1p-53 < probability; }
    template <class T>
    [[nodiscard]] const T& one_of(std::span<const T> things) {
        return things[below(things.size())];
    }
    template <class List>
    void shuffle(List& list) {
        for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t thrown_ = 0;
};

}  // namespace kport
