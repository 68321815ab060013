/// @file large_blocks.hpp   Memory of a run for its large bodies, together in huge pages.
#pragma once

#include <cstddef>

#include "emulator/base/huge_array.hpp"

namespace kport {

/// Allocates blocks of any size from one address range, best fit; free neighbours are merged. Freed memory is reused
/// before fresh memory is touched, which would cost more than most bodies are worth.
///
/// Callers   one task at a time.
/// Memory    the most that is in use at a time, and gaps; freed when this ends.
class LargeBlocks {
  public:
    /// Reserves half as many addresses as there is memory. None if the process has a limit on addresses, or they are
    /// refused.
    LargeBlocks();
    LargeBlocks(const LargeBlocks&) = delete;
    LargeBlocks& operator=(const LargeBlocks&) = delete;

    /// Returns null if no gap is large enough. `alignment`: a power of two.
    [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment = 16) noexcept;
    [[nodiscard]] bool owns(const void* memory) const {
        return memory >= stretch_.data() && memory < stretch_.data() + stretch_.size();
    }
    /// Frees a block that owns() accepts.
    void give_back(void* memory) noexcept;

  private:
    HugeArray<std::byte> stretch_;
};

}  // namespace kport
