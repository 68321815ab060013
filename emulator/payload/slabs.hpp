/// @file slabs.hpp   The memory that the pools of a run share, in large pieces.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace KPORT_PUBLIC kport {

class LargeBlocks;

/// Memory from the system, from which the pools of a run (FramePool) take pieces. The data of 64 partitions is together
/// in huge pages, where each partition alone would get small ones: first touch is a large part of the cost of a million
/// frames.
///
/// Callers   any thread.
/// Memory    slabs double from 64 KiB to 4 MiB: little for a small machine, few for a large one. Freed when this ends.
/// Errors    std::bad_alloc.
class Slabs {
  public:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t largest = std::size_t{4} << 20;

    Slabs();
    Slabs(const Slabs&) = delete;
    Slabs& operator=(const Slabs&) = delete;
    ~Slabs();

    /// Returns `bytes` bytes: a multiple of `alignment`, at most the smallest slab.
    [[nodiscard]] std::byte* take(std::size_t bytes);

    /// Returns a block of any size, from LargeBlocks once the run has taken many. It must be given back.
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
    std::size_t large_bytes_ = 0;  ///< taken so far
    std::unique_ptr<LargeBlocks> large_;
};

}  // namespace kport
