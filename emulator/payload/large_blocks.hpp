/// @file large_blocks.hpp   Memory of a run for its large bodies, together in huge pages.
#pragma once

#include <cstddef>

#include "emulator/base/huge_array.hpp"

namespace kport {

/// Blocks of any size out of one stretch of addresses, the smallest gap that is large enough first; neighbours that are free become one
/// gap. What is given back is used again before fresh memory is touched, which would cost more than what most bodies are made for.
///
/// Callers   one task at a time.
/// Memory    what is in use at the most at a time, and gaps; kept until this ends.
class LargeBlocks {
  public:
    /// Half as many addresses as there is memory. None if the process has a limit on them, which others may need, or they are
    /// refused.
    LargeBlocks();
    LargeBlocks(const LargeBlocks&) = delete;
    LargeBlocks& operator=(const LargeBlocks&) = delete;

    /// Null if no gap is large enough. `alignment`: a power of two.
    [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment = 16) noexcept;
    [[nodiscard]] bool owns(const void* memory) const {
        return memory >= stretch_.data() && memory < stretch_.data() + stretch_.size();
    }
    /// What owns().
    void give_back(void* memory) noexcept;

  private:
    HugeArray<std::byte> stretch_;
};

}  // namespace kport
