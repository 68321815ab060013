/// @file processor.hpp   Instruction sets that not every processor of the target has.
#pragma once

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
