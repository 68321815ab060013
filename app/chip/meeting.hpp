/// @file meeting.hpp   A barrier by which a caller and the members of a team start and end each piece of work together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kport::chip {

/// One caller, who starts one piece of work after the other, and members who sleep in between. All take part: begin(),
/// wait until all_have_begun(), work, end(). The next call may come when all_have_ended().
///
/// Callers   call(), all_have_ended(): the caller. await(): the members. The others: all threads.
/// Memory    order: what the caller did before call() happens before the return of await(); what any thread did before
///           end() happens before all_have_ended() returns true. all_have_begun() orders no memory.
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
    /// Sleeps until call() was called more than `calls` times.
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
