/// @file batches.hpp   A list that only grows; members never move; each round reuses its memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace kport {

template <class T>
class Batches;

/// Memory shared by lists of different rounds: a list takes it for a round and gives it back.
///
/// Callers   one task at a time, that of the lists.
template <class T>
class BatchMemory {
  private:
    friend class Batches<T>;
    static constexpr std::size_t levels_max = 48;
    using Memory = std::unique_ptr<T[]>;

    /// Throws std::bad_alloc.
    [[nodiscard]] Memory take(std::size_t level, std::size_t size) {
        Level& own = levels_[level];
        if (own.free.empty()) {
            own.free.reserve(++own.made);  // so that give() cannot throw
            return std::make_unique_for_overwrite<T[]>(size);
        }
        Memory memory = std::move(own.free.back());
        own.free.pop_back();
        return memory;
    }
    void give(std::size_t level, Memory memory) { levels_[level].free.push_back(std::move(memory)); }

    struct Level {
        std::vector<Memory> free;
        std::size_t made = 0;
    };
    std::array<Level, levels_max> levels_;
};

/// A list of batches that double in size, so 48 batches hold anything that fits into memory.
///
/// Callers   one task at a time.
/// Memory    that of its fullest round, or of a BatchMemory; none before the first member.
/// Errors    std::bad_alloc from add().
template <class T>
class Batches {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    static constexpr std::size_t levels_max = BatchMemory<T>::levels_max;

    /// Takes memory from `memory`, which must outlive the list. Call before the first add().
    void share(BatchMemory<T>& memory) { memory_ = &memory; }

    /// Whether add() needs no allocation; false if nothing was added since restart().
    [[nodiscard]] bool has_room() const { return next_ != end_; }
    /// Whether nothing was added since restart().
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
    /// Returns the position behind the last member.
    [[nodiscard]] T* end() const { return next_; }

    /// Calls visit(span of members) for all batches, in order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t level = 0; level < used_; ++level) visit(std::span<const T>(batch(level)));
    }
    /// Calls visit(span of members) for all batches, in order; visit() may change members.
    template <class Visit>
    void change_each(Visit&& visit) {
        for (std::size_t level = 0; level < used_; ++level) visit(batch(level));
    }

    /// Removes all members. Keeps the memory unless it is shared.
    void restart() {
        for (std::size_t level = 0; memory_ != nullptr && level < used_; ++level)
            memory_->give(level, std::move((*batches_)[level]));
        used_ = 0;
        next_ = end_ = nullptr;
    }

  private:
    static constexpr std::size_t smallest = 64;
    static constexpr std::size_t size_of(std::size_t level) { return smallest << level; }

    [[nodiscard]] std::span<T> batch(std::size_t level) const {
        T* begin = (*batches_)[level].get();
        return {begin, level + 1 == used_ ? next_ : begin + size_of(level)};
    }
    void next_batch() {
        if (!batches_) batches_ = std::make_unique<std::array<std::unique_ptr<T[]>, levels_max>>();
        std::unique_ptr<T[]>& batch = (*batches_)[used_];
        if (!batch)
            batch = memory_ != nullptr ? memory_->take(used_, size_of(used_))
                                       : std::make_unique_for_overwrite<T[]>(size_of(used_));
        next_ = batch.get();
        end_ = next_ + size_of(used_);
        ++used_;
    }

    T* next_ = nullptr;
    T* end_ = nullptr;
    std::size_t used_ = 0;  ///< batches in use since restart()
    BatchMemory<T>* memory_ = nullptr;
    std::unique_ptr<std::array<std::unique_ptr<T[]>, levels_max>> batches_;
};

}  // namespace kport
