/// @file peak_memory.hpp   Peak memory of this process.
#pragma once

#include <cstdint>

#include <sys/resource.h>

namespace kport {

/// Returns the largest number of bytes that were resident so far; 0 if the system does not report it.
[[nodiscard]] inline std::uint64_t peak_memory_bytes() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

}  // namespace kport
