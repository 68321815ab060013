/// @file peak_memory.hpp   How much memory this process has had.
#pragma once

#include <cstdint>

#include <sys/resource.h>

namespace kport {

/// Bytes of memory that were resident at most until now; 0 where the system does not tell.
[[nodiscard]] inline std::uint64_t peak_memory_bytes() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

}  // namespace kport
