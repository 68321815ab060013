/// Memory of a page: allocated, and set to zero.
#pragma once
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_NORESERVE 0x4000
#define MAP_FAILED ((void*)-1)
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14
#define MADV_POPULATE_WRITE 23
static inline void* mmap(void*, size_t bytes, int, int, int, long) {
    void* memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return memory ? memset(memory, 0, bytes) : MAP_FAILED;
}
static inline int munmap(void* memory, size_t) { free(memory); return 0; }
static inline int madvise(void*, size_t, int) { return 0; }
static inline int mprotect(void*, size_t, int) { return 0; }
