#include "emulator/payload/large_blocks.hpp"

#include <new>

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

#include "emulator/base/memory_limit.hpp"

namespace kport {

namespace {

constexpr std::size_t smallest_alignment = 16;
using Gaps = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family, void*, smallest_alignment>;

/// A shorter stretch would soon be full.
constexpr std::uint64_t stretch_smallest = std::uint64_t{64} << 20;

/// The gaps, stored at the beginning of the stretch.
Gaps& gaps_of(HugeArray<std::byte>& stretch) { return *reinterpret_cast<Gaps*>(stretch.data()); }

}  // namespace

LargeBlocks::LargeBlocks() {
    const std::uint64_t bytes = memory_available() / 2;
    if (bytes < stretch_smallest || address_space_left() != memory_unlimited) return;
    try {
        stretch_ = HugeArray<std::byte>(bytes);
    } catch (const std::bad_alloc&) {
        return;
    }
    new (stretch_.data()) Gaps(stretch_.size(), 0);
}

void* LargeBlocks::take(std::size_t bytes, std::size_t alignment) noexcept {
    if (stretch_.size() == 0) return nullptr;
    Gaps& gaps = gaps_of(stretch_);
    return alignment <= smallest_alignment ? gaps.allocate(bytes) : gaps.allocate_aligned(bytes, alignment);
}

void LargeBlocks::give_back(void* memory) noexcept { gaps_of(stretch_).deallocate(memory); }

}  // namespace kport
