/// @file inbox.hpp   The lock-free mailbox of one virtual node: one word.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace kport {

/// Letters from any number of senders to one receiver, and whether the receiver sleeps, in one word: exactly one of
/// several senders wakes a sleeper, and no letter is missed between its last look and its sleep.
///
/// A boost::lockfree::spsc_queue for each channel would take about 200 bytes a channel, a table of channels a node, and
/// a flag; bench/inbox compares them. Here a node without mail costs eight bytes. Letters are taken all at once, so a
/// letter that is put back cannot be mistaken for another one (no ABA).
///
/// States     asleep (all zeros: no letters) | awake without letters | awake with a list of letters, the latest first
/// Callers    push(), wake(): any thread. take(), sleep(): the receiver while it is awake.
/// Memory     order: what a sender did before push() happens before take(); what the receiver did before sleep()
///            happens before the return of the push() or wake() that wakes it.
/// Progress   push() is lock-free, the others wait-free.
/// Letter     has a member `Letter* next`. Atomic: std::atomic, or a model checker's.
template <class Letter, template <class> class Atomic = std::atomic>
class Inbox {
  public:
    /// Adds a letter. Returns true if the receiver slept: the caller must then run it.
    [[nodiscard]] bool push(Letter* letter) {
        std::uintptr_t seen = word_.load(std::memory_order_relaxed);
        do {
            letter->next = list_in(seen);
        } while (!word_.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(letter), std::memory_order_acq_rel,
                                              std::memory_order_relaxed));
        return seen == asleep;
    }

    /// Returns all letters, the latest first; null if there are none.
    [[nodiscard]] Letter* take() {
        if (word_.load(std::memory_order_relaxed) == awake) return nullptr;
        return list_in(word_.exchange(awake, std::memory_order_acquire));
    }

    /// Puts the receiver to sleep. Returns false if letters have come: it stays awake and must take() them.
    [[nodiscard]] bool sleep() {
        std::uintptr_t seen = awake;
        return word_.compare_exchange_strong(seen, asleep, std::memory_order_release, std::memory_order_relaxed);
    }

    /// Wakes a sleeper without a letter. Returns true if it slept: the caller must then run it.
    [[nodiscard]] bool wake() {
        std::uintptr_t seen = asleep;
        return word_.compare_exchange_strong(seen, awake, std::memory_order_acquire, std::memory_order_relaxed);
    }

    /// Resets to the initial state. Not thread-safe.
    void restart() { word_.store(asleep, std::memory_order_relaxed); }

  private:
    static constexpr std::uintptr_t asleep = 0;
    static constexpr std::uintptr_t awake = 1;  // no letter has this address

    [[nodiscard]] static Letter* list_in(std::uintptr_t word) {
        return word <= awake ? nullptr : reinterpret_cast<Letter*>(word);
    }

    Atomic<std::uintptr_t> word_;
};

}  // namespace kport
