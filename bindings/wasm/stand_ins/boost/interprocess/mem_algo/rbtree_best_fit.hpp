/// Boost does not know this platform. Nothing is allocated here: a page's addresses are limited (emulator/payload/large_blocks.cpp).
#pragma once
#include <cstddef>
namespace boost::interprocess {
struct null_mutex_family {};
template <class Mutexes, class Pointer, std::size_t alignment>
struct rbtree_best_fit {
    rbtree_best_fit(std::size_t, std::size_t) {}
    void* allocate(std::size_t) { return nullptr; }
    void* allocate_aligned(std::size_t, std::size_t) { return nullptr; }
    void deallocate(void*) {}
};
}  // namespace boost::interprocess
