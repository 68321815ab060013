/// @file huge_vector.hpp   A vector that uses huge pages where it is large.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace KPORT_PUBLIC kport {

/// From 4 MiB on, memory comes in pages of 2 MiB where the system grants them: page faults are a large part of the cost
/// of a list of millions. Throws std::bad_alloc.
template <class T>
struct HugeAllocator {
    using value_type = T;  // NOLINT(readability-identifier-naming): the standard names it

    HugeAllocator() = default;
    template <class Other>
    HugeAllocator(const HugeAllocator<Other>&) {}  // NOLINT: allocators convert

    [[nodiscard]] T* allocate(std::size_t count) {
        if (!is_huge(count)) return std::allocator<T>().allocate(count);
        const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
        void* const memory = std::aligned_alloc(page, bytes);
        if (memory == nullptr) throw std::bad_alloc();
        madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: if refused, access is only slower
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        if (is_huge(count))
            std::free(memory);
        else
            std::allocator<T>().deallocate(memory, count);
    }

    bool operator==(const HugeAllocator&) const = default;

  private:
    static constexpr std::size_t page = std::size_t{2} << 20;

    static bool is_huge(std::size_t count) { return count >= 2 * page / sizeof(T); }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

}  // namespace kport
