/// @file slabs.hpp   The memory that the pools of a run share, in large pieces; coroutine frames and small node objects, reused at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
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

/// Free lists by size. The frame of a program that ends is reused for the next one that starts, in the same cache
/// lines, so a node that runs from its first message to its end costs no memory of its own.
///
/// Callers     one task at a time (each partition of an engine has its own). A block may be given back to a different
///             pool of the run, if all pools of the run live until the last block is back.
/// Cost        O(1), and a piece of the run's slabs when a list is empty.
/// Errors      std::bad_alloc.
class FramePool {
  public:
    /// A pool of no run, with slabs of its own.
    FramePool() : slabs_(own_) {}
    /// `run`: the run's number; `slabs`: memory that the pools of a run share.
    FramePool(std::uint32_t run, Slabs& slabs) : run_(run), slabs_(slabs) {}
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;
    ~FramePool();

    [[nodiscard]] std::uint32_t run() const { return run_; }

    [[nodiscard]] void* allocate(std::size_t bytes) {
        if (bytes > largest) return allocate_large(bytes);
        Block*& head = free_[class_of(bytes)];
        if (head != nullptr) {
            Block* block = head;
            head = block->next;
            return block;
        }
        return carve(class_of(bytes) * granule);
    }

    void deallocate(void* memory, std::size_t bytes) noexcept {
        if (bytes > largest) {
            deallocate_large(memory, bytes);
            return;
        }
        Block*& head = free_[class_of(bytes)];
        head = new (memory) Block{head};
    }

  private:
    struct Block {
        Block* next;
    };
    /// A large block that was given back, and its size.
    struct Large {
        void* memory = nullptr;
        std::size_t bytes = 0;
    };
    static constexpr std::size_t granule = 16;
    static constexpr std::size_t largest = 2048;
    static constexpr std::size_t kept_largest = std::size_t{64} << 10;
    static constexpr std::size_t kept_sizes = std::bit_width(kept_largest - 1) - std::bit_width(largest) + 1;
    static constexpr std::size_t piece_smallest = std::size_t{4} << 10;
    static constexpr std::size_t piece_largest = std::size_t{32} << 10;

    static constexpr std::size_t class_of(std::size_t bytes) { return (bytes + granule - 1) / granule; }

    void* carve(std::size_t bytes) {
        if (left_ < bytes) refill();
        void* block = next_;
        next_ += bytes;
        left_ -= bytes;
        return block;
    }
    /// Returns the last block given back in the size class (power of two), or else one of the run's large blocks.
    /// Messages of a round are often equally large, and a block that was just read is still in the cache.
    [[nodiscard]] void* allocate_large(std::size_t bytes);
    void deallocate_large(void* memory, std::size_t bytes) noexcept;
    /// Adds a piece to the free lists. Pieces double, so the unused rest of the last one is at most the size of those
    /// in use.
    void refill();

    std::uint32_t run_ = 0;
    std::array<Block*, largest / granule + 1> free_{};
    std::array<Large, kept_sizes> kept_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t piece_bytes_ = piece_smallest;
    Slabs own_;
    Slabs& slabs_;
};

}  // namespace kport
