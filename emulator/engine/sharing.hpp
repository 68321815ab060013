/// @file sharing.hpp   The threads of an engine, and whether a run that is repeated goes on all of them or on one.
#pragma once

#include <algorithm>
#include <limits>

#include <oneapi/tbb/task_arena.h>

namespace kport {

/// To share out a run that is over in microseconds takes longer than the run, and where one node waits for the other there is nothing
/// to share out: so runs of a job that comes again are tried both ways, a few times each, and the faster one stays. What is counted is
/// the same either way.
///
/// Callers   one task at a time.
class Sharing {
  public:
    explicit Sharing(unsigned threads) : is_settled_(threads == 1), on_one_thread_(threads == 1) {}

    /// Of the run that comes next.
    [[nodiscard]] bool on_one_thread() const { return on_one_thread_; }
    /// That run is over.
    void took(double seconds) {
        if (is_settled_) return;
        double& least = on_one_thread_ ? alone_ : together_;
        if (runs_++ != 0) least = std::min(least, seconds);  // in the first one memory is cold
        if (runs_ % runs_tried != 0) return;
        const bool tries_the_other = !on_one_thread_ && together_ <= longest_tried;
        on_one_thread_ = tries_the_other || alone_ < together_;
        is_settled_ = !tries_the_other;
    }

    static constexpr unsigned runs_tried = 5;  ///< each way
    static constexpr double longest_tried =
        1e-3;  ///< on all threads, in seconds: a longer run could take seconds on one

  private:
    bool is_settled_;
    bool on_one_thread_;
    unsigned runs_ = 0;
    double alone_ = std::numeric_limits<double>::infinity();  ///< the least so far
    double together_ = std::numeric_limits<double>::infinity();
};

/// The caller's arena, if it has so many slots: a caller may bring its own threads, such as pinned
/// ones. Else a new one.
[[nodiscard]] inline tbb::task_arena arena_for(unsigned threads) {
    const auto slots = static_cast<int>(threads);
    const bool in_arena = tbb::this_task_arena::current_thread_index() != tbb::task_arena::not_initialized;
    return in_arena && tbb::this_task_arena::max_concurrency() == slots ? tbb::task_arena(tbb::task_arena::attach())
                                                                        : tbb::task_arena(slots);
}

}  // namespace kport
