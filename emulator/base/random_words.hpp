/// @file random_words.hpp   Random bits as a function of an index: the same on every machine and in every order.
#pragma once

#include <cstdint>

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

}  // namespace kport
