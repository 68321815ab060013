#include "emulator/payload/frame_pool.hpp"

#include <algorithm>

namespace kport {

void FramePool::refill() {
    next_ = slabs_.take(piece_bytes_);
    left_ = piece_bytes_;
    piece_bytes_ = std::min(2 * piece_bytes_, piece_largest);
}

}  // namespace kport
