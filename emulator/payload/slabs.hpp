/// @file slabs.hpp   The memory that the pools of a run share, in large pieces.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace KPORT_PUBLIC kport {

class LargeBlocks;

/// Memory in slabs from the system, from which the pools of a run (FramePool) take pieces. What 64 partitions need is together in
/// huge pages, where each by itself would have small ones: the first touch of frames is a large part of what a million of them
/// cost.
///
/// Callers   any thread.
/// Memory    slabs double from 64 KiB to 4 MiB: little for a small machine, few for a large one. All live as long as this.
/// Errors    std::bad_alloc.
class Slabs {
  public:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t largest = std::size_t{4} << 20;

    Slabs();
    Slabs(const Slabs&) = delete;
    Slabs& operator=(const Slabs&) = delete;
    ~Slabs();

    /// A piece of so many bytes: a multiple of `alignment`, and no more than the smallest slab.
    [[nodiscard]] std::byte* take(std::size_t bytes);

    /// A block of any size: of LargeBlocks, where the run has taken many. It comes back.
    [[nodiscard]] void* take_large(std::size_t bytes);
    void give_back(void* memory) noexcept;

  private:
    struct Free {
        void operator()(std::byte* slab) const { std::free(slab); }
    };
    void add_slab();

    std::mutex mutex_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t slab_bytes_ = std::size_t{64} << 10;
    std::vector<std::unique_ptr<std::byte, Free>> slabs_;
    std::size_t large_bytes_ = 0;  ///< that were taken
    std::unique_ptr<LargeBlocks> large_;
};

}  // namespace kport
