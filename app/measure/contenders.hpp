/// @file contenders.hpp   The contenders of a cell: the task itself, memcpy, and the bare loop.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include <oneapi/tbb/task_arena.h>

#include "app/chip/pinning.hpp"
#include "app/measure/contender.hpp"

namespace kport::measure {

/// Threads pinned to cores of their own.
///
/// Callers   created, used and destroyed by one thread, which is the first of them.
class Crew {
  public:
    explicit Crew(unsigned threads) : arena_(static_cast<int>(threads)), pinned_(arena_) {}

    /// Does the work on the first of the threads; engines that use as many threads find the others in this arena.
    template <class Work>
    auto run(const Work& work) {
        return arena_.execute(work);
    }
    /// Returns an empty text if all threads so far were pinned, else why one was not.
    [[nodiscard]] std::string why_not_pinned() const { return pinned_.why_not(); }

  private:
    tbb::task_arena arena_;
    chip::PinnedArena pinned_;
};

/// The task on the lockstep engine: from set-up to teardown, with audit and verification. The time of a stopped run is
/// meaningless.
[[nodiscard]] Contender by_lockstep(const Task& task, Crew& crew, const std::atomic<bool>* stop);

/// The task on the free-running engine with warm memory: from the first program's start to the last one's end, without
/// set-up, audit and verification. For a reversed algorithm programs follow its schedule. Requires a run that the free
/// engine completed.
[[nodiscard]] Contender by_free_running(const Task& task, Crew& crew, const std::atomic<bool>* stop);

/// Moves the bytes of the task's schedule, recorded once: no programs, no audit. Received packets are verified after
/// each repetition, outside the time. Throws RequestError for values that change size.
[[nodiscard]] Contender by_mover(const Task& task, Crew& crew);

/// Copies as many bytes as the task's messages carry by memcpy on one thread, from one half to the other of warm memory
/// as large as all nodes hold together.
[[nodiscard]] Contender by_memcpy(std::uint64_t bytes_moved, double bytes_held);

/// See bare_loop(). Returns nothing if no plain loop exists.
[[nodiscard]] std::optional<Contender> by_bare_loop(const Task& task);

}  // namespace kport::measure
