/// @file contenders.hpp   Ways to pass messages from one task to another, with one interface.
///
/// A contender has a capacity of so many messages a round. The producer calls post() and then publish(); the consumer calls
/// collect(visit), which visits the available messages; restart() is called between rounds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

#include "emulator/node/message.hpp"
#include "emulator/payload/mailbox.hpp"

namespace kport::bench {

/// The engine's: messages are written into batches, and batches go through a boost::lockfree::spsc_queue.
class Batches {
  public:
    explicit Batches(std::size_t) {}
    void post(const Message& message) { mailbox_.post(message); }
    void publish() { mailbox_.publish(); }
    template <class Visit>
    void collect(Visit&& visit) {
        mailbox_.collect([&](std::span<const Message> batch) {
            for (const Message& message : batch) visit(message);
        });
    }
    void restart() { mailbox_.restart(); }

  private:
    Mailbox<Message> mailbox_;
};

/// A queue of messages with as many places as a round has messages: boost::lockfree::spsc_queue, one message at a time.
class SpscQueue {
  public:
    explicit SpscQueue(std::size_t messages_max) : queue_(messages_max) {}
    void post(const Message& message) { queue_.push(message); }
    void publish() {}
    template <class Visit>
    void collect(Visit&& visit) {
        queue_.consume_all(visit);
    }
    void restart() {}

  private:
    boost::lockfree::spsc_queue<Message> queue_;
};

/// The containers for any number of producers and consumers; nodes are allocated in advance. (The stack returns the last
/// message first, so it only suits mail in any order.)
template <class Container>
class Shared {
  public:
    explicit Shared(std::size_t messages_max) : container_(messages_max) {}
    void post(const Message& message) { container_.push(message); }
    void publish() {}
    template <class Visit>
    void collect(Visit&& visit) {
        container_.consume_all(visit);
    }
    void restart() {}

  private:
    Container container_;
};
using Queue = Shared<boost::lockfree::queue<Message>>;
using Stack = Shared<boost::lockfree::stack<Message>>;

/// The serial contender: what a single task would use. Not for two threads.
class Vector {
  public:
    explicit Vector(std::size_t messages_max) { messages_.reserve(messages_max); }
    void post(const Message& message) { messages_.push_back(message); }
    void publish() {}
    template <class Visit>
    void collect(Visit&& visit) {
        for (const Message& message : messages_) visit(message);
    }
    void restart() { messages_.clear(); }

  private:
    std::vector<Message> messages_;
};

}  // namespace kport::bench
