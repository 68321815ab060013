#include "emulator/payload/slabs.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace kport {

std::byte* Slabs::take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (left_ < bytes) add_slab();
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
}

void Slabs::add_slab() {
    // Whole huge pages if the slab is that large.
    const std::size_t huge_page = std::size_t{2} << 20;
    const std::size_t aligned_to = slab_bytes_ >= huge_page ? huge_page : alignment;
    std::unique_ptr<std::byte, Free> slab(static_cast<std::byte*>(std::aligned_alloc(aligned_to, slab_bytes_)));
    if (slab == nullptr) throw std::bad_alloc();
    if (aligned_to == huge_page) madvise(slab.get(), slab_bytes_, MADV_HUGEPAGE);
    next_ = slab.get();
    left_ = slab_bytes_;
    slabs_.push_back(std::move(slab));
    slab_bytes_ = std::min(2 * slab_bytes_, largest);
}

}  // namespace kport
