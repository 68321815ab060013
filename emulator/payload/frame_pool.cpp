#include "emulator/payload/frame_pool.hpp"

#include <algorithm>
#include <utility>

namespace kport {

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
