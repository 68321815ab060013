/// @file mailbox.hpp   The lock-free way from one task to another: many small messages, handed over in batches.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include <boost/lockfree/spsc_queue.hpp>

#include "emulator/base/error.hpp"

namespace kport {

/// Messages from one producer task to one consumer task.
///
/// A queue of messages costs each of them a place in a queue; here the producer writes into a batch and only whole
/// batches pass through the lock-free queue (boost::lockfree::spsc_queue), so a message costs little more than its copy.
/// Batches double, so that 48 of them hold whatever fits into memory and the queue can never be full. They are written
/// anew after each restart(): a mailbox keeps the memory of its fullest round.
///
/// Callers   post(), publish(), posted(): the producer. collect(): the consumer. They may run at the same time.
///           restart(): either, when the other is between rounds.
/// Order     first in, first out.
/// Errors    std::bad_alloc from post().
template <class T>
class Mailbox {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    /// False if post() would first have to make room: always so when nothing has been posted since restart().
    [[nodiscard]] bool has_room() const { return next_ != end_; }
    /// True from restart() until the first post().
    [[nodiscard]] bool untouched() const { return next_ == nullptr; }

    void post(const T& message) {
        if (!has_room()) [[unlikely]]
            next_batch();
        *next_++ = message;
    }

    /// Hands over what was posted since the last time.
    void publish() {
        if (first_ == next_) return;
        invariant(store_->published.push(std::span<const T>(first_, next_)), "a mailbox holds all batches of a round");
        first_ = next_;
    }

    /// Calls visit(span of messages) for each batch that was published and not yet collected, in order.
    template <class Visit>
    void collect(Visit&& visit) {
        std::span<const T> batch;
        while (store_ && store_->published.pop(batch)) visit(batch);
    }

    /// Calls visit(span of messages) for all that was posted since restart().
    template <class Visit>
    void posted(Visit&& visit) const {
        for (std::size_t level = 0; level < used_; ++level) {
            const T* begin = store_->batches[level].get();
            const T* end = level + 1 == used_ ? next_ : begin + size_of(level);
            visit(std::span<const T>(begin, end));
        }
    }

    /// Forgets everything that was posted, keeping the memory.
    void restart() {
        used_ = 0;
        first_ = next_ = end_ = nullptr;
    }

  private:
    static constexpr std::size_t levels_max = 48;
    static constexpr std::size_t smallest = 64;
    static constexpr std::size_t size_of(std::size_t level) { return smallest << level; }

    /// What a mailbox needs from its first message on.
    struct Store {
        std::array<std::unique_ptr<T[]>, levels_max> batches;
        boost::lockfree::spsc_queue<std::span<const T>, boost::lockfree::capacity<levels_max * 2>> published;
    };

    void next_batch() {
        if (!store_) store_ = std::make_unique<Store>();
        publish();
        std::unique_ptr<T[]>& batch = store_->batches[used_];
        if (!batch) batch = std::make_unique_for_overwrite<T[]>(size_of(used_));
        first_ = next_ = batch.get();
        end_ = next_ + size_of(used_);
        ++used_;
    }

    T* next_ = nullptr;
    T* end_ = nullptr;
    T* first_ = nullptr;    ///< of what is posted and not yet published
    std::size_t used_ = 0;  ///< batches in use since restart()
    std::unique_ptr<Store> store_;
};

}  // namespace kport
