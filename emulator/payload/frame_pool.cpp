#include "emulator/payload/frame_pool.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace kport {

void FramePool::refill() {
    // Whole huge pages if the slab is that large: the first touch of frames dominates their cost.
    const std::size_t huge_page = std::size_t{2} << 20;
    const std::size_t alignment = slab_bytes_ >= huge_page ? huge_page : 64;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, slab_bytes_));
    if (memory == nullptr) throw std::bad_alloc();
    std::unique_ptr<std::byte, FreeSlab> slab(memory);
    if (alignment == huge_page) madvise(memory, slab_bytes_, MADV_HUGEPAGE);
    slabs_.push_back(std::move(slab));
    next_ = memory;
    left_ = slab_bytes_;
    slab_bytes_ = std::min(2 * slab_bytes_, slab_largest);
}

}  // namespace kport
