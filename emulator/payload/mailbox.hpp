/// @file mailbox.hpp   A lock-free queue from one task to another: many small messages in batches.
#pragma once

#include <memory>
#include <span>

#include <boost/lockfree/spsc_queue.hpp>

#include "emulator/base/error.hpp"
#include "emulator/payload/batches.hpp"

namespace kport {

/// Messages from one producer task to one consumer task.
///
/// The producer writes into a batch, and only whole batches pass through the lock-free queue
/// (boost::lockfree::spsc_queue), so a message costs little more than its copy. There are fewer batches
/// (payload/batches.hpp) than the queue has places, so it can never be full. After restart() batches are reused: a
/// mailbox keeps the memory of its fullest round, or shares it.
///
/// Callers   post(), publish(), posted(): the producer. collect(): the consumer; concurrently only if something was
///           posted before (the queue is made then). drop(), restart(): either, while the other is between rounds.
/// Order     first in, first out.
/// Errors    std::bad_alloc from post().
template <class T>
class Mailbox {
  public:
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    /// Shares the memory of its batches with other mailboxes of the producer, see Batches. Call before the first
    /// post().
    void share(BatchMemory<T>& memory) { batches_.share(memory); }

    /// Whether post() needs no allocation; false if nothing was posted since restart().
    [[nodiscard]] bool has_room() const { return batches_.has_room(); }
    /// Whether nothing was posted since restart().
    [[nodiscard]] bool untouched() const { return batches_.untouched(); }

    void post(const T& message) {
        if (has_room()) [[likely]] {
            batches_.add(message);
            return;
        }
        if (!published_) published_ = std::make_unique<Queue>();
        publish();
        first_ = &batches_.add(message);
    }

    /// Publishes what was posted since the last call.
    void publish() {
        if (first_ == batches_.end()) return;
        invariant(published_->push(std::span<const T>(first_, batches_.end())),
                  "a mailbox holds all batches of a round");
        first_ = batches_.end();
    }

    /// Calls visit(span of messages) for each batch that was published and not yet collected, in order.
    template <class Visit>
    void collect(Visit&& visit) {
        std::span<const T> batch;
        while (published_ && published_->pop(batch)) visit(batch);
    }

    /// Discards what was published and will not be collected.
    void drop() {
        if (published_) published_->reset();
    }

    /// Calls visit(span of messages) for all that was posted since restart().
    template <class Visit>
    void posted(Visit&& visit) const {
        batches_.for_each(visit);
    }

    /// Calls visit(span of messages), which may change them, for all that was posted. Not concurrently with collect().
    template <class Visit>
    void change_posted(Visit&& visit) {
        batches_.change_each(visit);
    }

    [[nodiscard]] std::size_t posted() const { return batches_.size(); }

    /// Discards all messages and keeps the memory. All that was published must have been collected or dropped.
    void restart() {
        batches_.restart();
        first_ = nullptr;
    }

  private:
    using Queue =
        boost::lockfree::spsc_queue<std::span<const T>, boost::lockfree::capacity<Batches<T>::levels_max * 2>>;

    Batches<T> batches_;
    T* first_ = nullptr;  ///< the first message that is posted and not yet published
    std::unique_ptr<Queue> published_;
};

}  // namespace kport
