/// @file contenders.hpp   The contenders of a cell: the task itself, memcpy, and the bare loop.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include <oneapi/tbb/task_arena.h>

#include "app/chip/pinning.hpp"
#include "app/measure/contender.hpp"
#include "app/measure/task.hpp"

namespace kport::measure {

/// Threads that stay on cores of their own.
///
/// Callers   made, used and destroyed by one thread, which is the first of them.
class Crew {
  public:
    explicit Crew(unsigned threads) : arena_(static_cast<int>(threads)), pinned_(arena_) {}

    /// Does the work on the first of the threads; engines that ask for as many threads find the others in the same arena.
    template <class Work>
    auto run(const Work& work) {
        return arena_.execute(work);
    }
    /// Empty if all that worked so far were pinned, else why one was not.
    [[nodiscard]] std::string why_not_pinned() const { return pinned_.why_not(); }

  private:
    tbb::task_arena arena_;
    chip::PinnedArena pinned_;
};

/// The task on the lockstep engine: from set-up to teardown, with audit and verification. A run that is stopped is short:
/// its time means nothing.
[[nodiscard]] Contender by_lockstep(const Task& task, Crew& crew, const std::atomic<bool>* stop);

/// The task on the free-running engine, its memory warm from run to run: from the first program's start to the last one's
/// end, without set-up, audit and verification. An algorithm that is reversed in time is run by programs that follow its
/// schedule. Requires a run that free-running kept.
[[nodiscard]] Contender by_free_running(const Task& task, Crew& crew, const std::atomic<bool>* stop);

/// The schedule of the task, recorded once, moves the bytes: no programs, no audit. Received packets are compared with those
/// sent after each repetition, outside the time. Throws RequestError for values that change size.
[[nodiscard]] Contender by_mover(const Task& task, Crew& crew);

/// As many bytes as the task's messages carry, copied by memcpy on one thread, from one half to the other of warm memory
/// as large as all nodes hold together.
[[nodiscard]] Contender by_memcpy(std::uint64_t bytes_moved, double bytes_held);

/// See bare_loop(). Nothing if no plain loop exists.
[[nodiscard]] std::optional<Contender> by_bare_loop(const Task& task);

}  // namespace kport::measure
