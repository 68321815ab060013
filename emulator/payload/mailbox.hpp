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
/// A queue of messages costs each of them a place in a queue; here the producer writes into a batch and only whole
/// batches pass through the lock-free queue (boost::lockfree::spsc_queue), so a message costs little more than its copy.
/// There are fewer batches (payload/batches.hpp) than the queue has places, so that it can never be full. They are written
/// anew after each restart(): a mailbox keeps the memory of its fullest round, or shares it.
///
/// Callers   post(), publish(), posted(): the producer. collect(): the consumer, at the same time only if something was
///           posted before (the queue is made then). drop(), restart(): either, when the other is between rounds.
/// Order     first in, first out.
/// Errors    std::bad_alloc from post().
template <class T>
class Mailbox {
  public:
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    /// Shares the memory of its batches with other mailboxes of the same producer, see Batches. Before the first post().
    void share(BatchMemory<T>& memory) { batches_.share(memory); }

    /// False if post() would first have to make room: always so when nothing has been posted since restart().
    [[nodiscard]] bool has_room() const { return batches_.has_room(); }
    /// True from restart() until the first post().
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

    /// Hands over what was posted since the last time.
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

    /// Forgets what was published: nobody will collect it.
    void drop() {
        if (published_) published_->reset();
    }

    /// Calls visit(span of messages) for all that was posted since restart().
    template <class Visit>
    void posted(Visit&& visit) const {
        batches_.for_each(visit);
    }

    /// The same of messages that visit() may change, while nobody collects them.
    template <class Visit>
    void change_posted(Visit&& visit) {
        batches_.change_each(visit);
    }

    [[nodiscard]] std::size_t posted() const { return batches_.size(); }

    /// Forgets everything that was posted, keeping the memory. All that was published is collected, or was dropped.
    void restart() {
        batches_.restart();
        first_ = nullptr;
    }

  private:
    using Queue =
        boost::lockfree::spsc_queue<std::span<const T>, boost::lockfree::capacity<Batches<T>::levels_max * 2>>;

    Batches<T> batches_;
    T* first_ = nullptr;  ///< of what is posted and not yet published
    std::unique_ptr<Queue> published_;
};

}  // namespace kport
