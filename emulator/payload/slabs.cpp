#include "emulator/payload/slabs.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "emulator/payload/large_blocks.hpp"

namespace kport {

namespace {

/// Smaller runs do not use enough of a huge page to pay for it.
constexpr std::size_t large_blocks_from = std::size_t{16} << 20;

}  // namespace

Slabs::Slabs() = default;
Slabs::~Slabs() = default;

std::byte* Slabs::take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (left_ < bytes) add_slab();
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
}

void* Slabs::take_large(std::size_t bytes) {
    {
        const std::scoped_lock lock(mutex_);
        large_bytes_ += bytes;
        if (!large_ && large_bytes_ > large_blocks_from) large_ = std::make_unique<LargeBlocks>();
        if (void* memory = large_ ? large_->take(bytes) : nullptr) return memory;
    }
    return ::operator new(bytes);
}

void Slabs::give_back(void* memory) noexcept {
    {
        const std::scoped_lock lock(mutex_);
        if (large_ && large_->owns(memory)) return large_->give_back(memory);
    }
    ::operator delete(memory);
}

void Slabs::add_slab() {
    const std::size_t bytes = std::exchange(slab_bytes_, std::min(2 * slab_bytes_, largest));
    void* slab = large_ ? large_->take(bytes, alignment) : nullptr;
    if (slab == nullptr) {
        // Whole huge pages if the slab is large enough.
        const std::size_t huge_page = std::size_t{2} << 20;
        const std::size_t aligned_to = bytes >= huge_page ? huge_page : alignment;
        std::unique_ptr<std::byte, Free> own(static_cast<std::byte*>(std::aligned_alloc(aligned_to, bytes)));
        if (own == nullptr) throw std::bad_alloc();
        if (aligned_to == huge_page) madvise(own.get(), bytes, MADV_HUGEPAGE);
        slab = own.get();
        slabs_.push_back(std::move(own));
    }
    next_ = static_cast<std::byte*>(slab);
    left_ = bytes;
}

FramePool::~FramePool() {
    for (const Large& kept : kept_)
        if (kept.memory != nullptr) slabs_.give_back(kept.memory);
}

void* FramePool::allocate_large(std::size_t bytes) {
    const std::size_t power = std::bit_width(bytes) - std::bit_width(largest);
    if (power < kept_.size() && kept_[power].bytes == bytes) return std::exchange(kept_[power], {}).memory;
    return slabs_.take_large(bytes);
}

void FramePool::deallocate_large(void* memory, std::size_t bytes) noexcept {
    const std::size_t power = std::bit_width(bytes) - std::bit_width(largest);
    if (power < kept_.size()) memory = std::exchange(kept_[power], {memory, bytes}).memory;
    if (memory != nullptr) slabs_.give_back(memory);
}

void FramePool::refill() {
    next_ = slabs_.take(piece_bytes_);
    left_ = piece_bytes_;
    piece_bytes_ = std::min(2 * piece_bytes_, piece_largest);
}

}  // namespace kport
