/// @file meeting.hpp   A barrier by which a caller and the members of a team start and end a work together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kport::chip {

/// One caller, who calls one work after the other, and members who sleep in between. All take part in each work: begin(), wait
/// until all_have_begun(), work, end(). The next may be called when all_have_ended().
///
/// Callers   call(), all_have_ended(): the caller. await(): the members. The others: all of them.
/// Memory    order: what the caller did before call() is seen after await(); what anyone did before end() is seen by the
///           caller when all_have_ended(). all_have_begun() orders no memory.
/// Atomic    std::atomic, or a model checker's.
template <template <class> class Atomic = std::atomic>
class Meeting {
  public:
    void call() {
        begun_.store(0, std::memory_order_relaxed);
        ended_.store(0, std::memory_order_relaxed);
        calls_.fetch_add(1, std::memory_order_release);
        calls_.notify_all();
    }
    /// Sleeps until there have been more than `calls` calls.
    void await(std::uint32_t calls) const { calls_.wait(calls, std::memory_order_acquire); }

    void begin() { begun_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] bool all_have_begun(std::size_t all) const { return begun_.load(std::memory_order_relaxed) == all; }
    void end() { ended_.fetch_add(1, std::memory_order_release); }
    [[nodiscard]] bool all_have_ended(std::size_t all) const { return ended_.load(std::memory_order_acquire) == all; }

  private:
    Atomic<std::uint32_t> calls_{0};
    Atomic<std::size_t> begun_{0};
    Atomic<std::size_t> ended_{0};
};

}  // namespace kport::chip
