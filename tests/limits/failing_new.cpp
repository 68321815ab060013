#include "tests/limits/failing_new.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::uint64_t left = 0;  // until it fails; 0: it does not
bool for_ever = false;
bool failed = false;

void* allocated(std::size_t bytes, std::size_t alignment) {
    if (left != 0 && --left == 0) {
        failed = true;
        if (for_ever) left = 1;
        throw std::bad_alloc();
    }
    const std::size_t whole = (bytes + alignment) / alignment * alignment;  // a multiple, and not 0
    void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(whole) : std::aligned_alloc(alignment, whole);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

namespace kport::test {

void fail_allocation(std::uint64_t n, Fails fails) {
    failed = false;
    for_ever = fails == Fails::from_there_on;
    left = n;
}

bool stop_failing() {
    left = 0;
    return failed;
}

}  // namespace kport::test

// The forms for arrays call these. Those without exceptions do too, but not where a sanitizer has its own.
void* operator new(std::size_t bytes) { return allocated(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocated(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return operator new(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
