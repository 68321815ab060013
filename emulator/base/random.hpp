/// @file random.hpp   Repeatable random numbers: the same from the same seed, on every machine and in every order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace KPORT_PUBLIC kport {

/// The finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

/// Word i of stream `which` under a seed is mixed(stream + i); the stream is computed once for many words.
[[nodiscard]] constexpr std::uint64_t random_stream(std::uint64_t seed, std::uint64_t which) {
    return mixed(seed ^ mixed(which));
}
[[nodiscard]] constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t which, std::uint64_t i) {
    return mixed(random_stream(seed, which) + i);
}

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
