/// @file huge_array.hpp   A zero-initialised array of any size that takes memory only where it is touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace KPORT_PUBLIC kport {

/// A fixed array of `size` elements whose bytes start as zero. Large arrays are mapped, in huge pages where the system
/// grants them, because the first touch of fresh memory is a large part of the cost of a million nodes. Small arrays
/// come from the heap: mapping and unmapping would dominate runs of few nodes.
///
/// Callers   any thread may use distinct elements; construction and destruction by one.
/// Errors    std::bad_alloc where the system refuses the address space.
template <class T>
class HugeArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    HugeArray() = default;
    explicit HugeArray(std::size_t size) : size_(size) {
        if (size == 0) return;
        if (is_small()) {
            data_ = static_cast<T*>(std::memset(::operator new(bytes(), alignment), 0, bytes()));
            return;
        }
        void* memory =
            mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        madvise(memory, bytes(), MADV_HUGEPAGE);  // a hint: if refused, access is only slower
        data_ = static_cast<T*>(memory);
    }
    HugeArray(HugeArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    HugeArray& operator=(HugeArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~HugeArray() {
        if (data_ == nullptr) return;
        if (is_small())
            ::operator delete(static_cast<void*>(data_), alignment);
        else
            munmap(static_cast<void*>(data_), bytes());
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

  private:
    static constexpr std::size_t small_bytes_max = std::size_t{16} << 10;
    static constexpr std::align_val_t alignment{64};

    [[nodiscard]] bool is_small() const { return bytes() <= small_bytes_max; }
    [[nodiscard]] std::size_t bytes() const {
        return size_ * sizeof(T);  // NOLINT(bugprone-sizeof-expression): T may be a pointer
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace kport
