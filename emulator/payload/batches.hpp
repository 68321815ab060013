/// @file batches.hpp   A list that only grows; members never move; each round reuses its memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace kport {

/// Members in batches of doubling size, so 48 batches hold anything that fits into memory.
///
/// Callers   one task at a time.
/// Memory    that of its fullest round; none before the first member.
/// Errors    std::bad_alloc from add().
template <class T>
class Batches {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    static constexpr std::size_t levels_max = 48;

    /// False if add() would first have to make room: always so when nothing has been added since restart().
    [[nodiscard]] bool has_room() const { return next_ != end_; }
    /// True from restart() until the first add().
    [[nodiscard]] bool untouched() const { return next_ == nullptr; }

    [[nodiscard]] bool empty() const { return untouched(); }
    [[nodiscard]] std::size_t size() const {
        if (empty()) return 0;
        return size_of(used_ - 1) - smallest + static_cast<std::size_t>(next_ - (*batches_)[used_ - 1].get());
    }

    /// Returns the member's address, valid until restart().
    T& add(const T& member) {
        if (!has_room()) [[unlikely]]
            next_batch();
        *next_ = member;
        return *next_++;
    }
    /// Behind the last member.
    [[nodiscard]] T* end() const { return next_; }

    /// Calls visit(span of members) for all of them, in order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t level = 0; level < used_; ++level) {
            const T* begin = (*batches_)[level].get();
            visit(std::span<const T>(begin, level + 1 == used_ ? next_ : begin + size_of(level)));
        }
    }

    /// Forgets all members, keeping the memory.
    void restart() {
        used_ = 0;
        next_ = end_ = nullptr;
    }

  private:
    static constexpr std::size_t smallest = 64;
    static constexpr std::size_t size_of(std::size_t level) { return smallest << level; }

    void next_batch() {
        if (!batches_) batches_ = std::make_unique<std::array<std::unique_ptr<T[]>, levels_max>>();
        std::unique_ptr<T[]>& batch = (*batches_)[used_];
        if (!batch) batch = std::make_unique_for_overwrite<T[]>(size_of(used_));
        next_ = batch.get();
        end_ = next_ + size_of(used_);
        ++used_;
    }

    T* next_ = nullptr;
    T* end_ = nullptr;
    std::size_t used_ = 0;  ///< batches in use since restart()
    std::unique_ptr<std::array<std::unique_ptr<T[]>, levels_max>> batches_;
};

}  // namespace kport
