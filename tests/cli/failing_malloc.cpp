/// @file failing_malloc.cpp   A preloaded malloc that refuses the allocation with the number KPORT_FAIL_AT (the first
///                            is 1), and with KPORT_FAIL_ON all that follow it.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
// The C library's own functions, under the names that may be replaced.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

bool refused() {
    static const char* const at = std::getenv("KPORT_FAIL_AT");
    static const bool on = std::getenv("KPORT_FAIL_ON") != nullptr;
    static const long first = at == nullptr ? 0 : std::atol(at);
    static std::atomic<long> asked = 0;
    const long number = ++asked;
    return number == first || (on && number > first);
}

void* or_refused(bool no, void* (*allocate)(std::size_t, std::size_t), std::size_t a, std::size_t b) {
    if (!no) return allocate(a, b);
    errno = ENOMEM;
    return nullptr;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
    return or_refused(
        refused(), [](std::size_t bytes, std::size_t) { return __libc_malloc(bytes); }, size, 0);
}
void* calloc(std::size_t count, std::size_t size) { return or_refused(refused(), __libc_calloc, count, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return or_refused(refused(), __libc_memalign, alignment, size);
}
void* realloc(void* memory, std::size_t size) {
    if (!refused()) return __libc_realloc(memory, size);
    errno = ENOMEM;
    return nullptr;
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    *memory = aligned_alloc(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
}
