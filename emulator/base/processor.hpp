/// @file processor.hpp   What only some processors do: copies that bypass the caches where the data exceeds them, and wide registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kport {

/// Copies the pieces of an object of known total size. If it exceeds a core's caches, it is written with non-temporal
/// stores: it would not be found in the caches anyway, and the destination need not be read first, which saves a third
/// of the traffic.
///
/// Callers   one task. Other threads may read the destination after the destructor has run and they were synchronised
///           with it.
class LargeCopy {
  public:
    explicit LargeCopy(std::size_t bytes) : passes_caches_(bytes >= too_large) {}
    LargeCopy(const LargeCopy&) = delete;
    LargeCopy& operator=(const LargeCopy&) = delete;
    ~LargeCopy() {
#if defined(__x86_64__)
        // non-temporal stores are not ordered with the store that signals the other threads
        if (passes_caches_) _mm_sfence();
#endif
    }

    [[nodiscard]] bool passes_caches() const { return passes_caches_; }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) const {
#if defined(__x86_64__)
        if (passes_caches_) return copy_lines(to, from, bytes);
#endif
        std::memcpy(to, from, bytes);
    }

  private:
    /// Measured with folds that compute checksums: costs a fifth of their time at 4 MiB, saves an eighth at 8 MiB, a
    /// third from 16 MiB on.
    static constexpr std::size_t too_large = std::size_t{8} << 20;

#if defined(__x86_64__)
    /// Whole cache lines by non-temporal stores, the rest before and after them by ordinary ones.
    static void copy_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
        constexpr std::size_t line = 64;
        const std::size_t before = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
        const std::size_t lines = (bytes - before) / line * line;
        std::memcpy(to, from, before);
        for (std::size_t at = before; at < before + lines; at += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
        std::memcpy(to + before + lines, from + before + lines, bytes - before - lines);
    }
#endif

    bool passes_caches_;
};

}  // namespace kport

namespace kport {

/// Whether functions for the target "avx512f,avx512dq" may be called: eight words of 8 bytes at once, and products of
/// them.
[[nodiscard]] inline bool knows_eight_words() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
    return false;
#endif
}

}  // namespace kport
