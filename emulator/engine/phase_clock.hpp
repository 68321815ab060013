/// @file phase_clock.hpp   Takes the times of the phases of a run.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include <oneapi/tbb/task_arena.h>

#include "emulator/engine/progress.hpp"

namespace kport {

/// Takes the times of a run.
///
/// Callers   timed(): a thread of the run's arena at a time; give(): one, after them.
/// Cost      of timed() without a destination: a comparison.
class PhaseClock {
  public:
    /// `into` null: takes no times.
    PhaseClock(std::vector<PhaseTime>* into, unsigned threads) : into_(into) {
        if (into_ != nullptr) of_threads_.resize(threads);
    }

    template <class Serve>
    void timed(Phase phase, Round round, unsigned partition, const Serve& serve) {
        if (into_ == nullptr) return serve();
        const double begin = seconds();
        serve();
        const auto thread = static_cast<unsigned>(std::max(0, tbb::this_task_arena::current_thread_index()));
        std::vector<PhaseTime>& times = of_threads_.at(thread);
        if (times.size() < phase_times_max) times.push_back({phase, thread, partition, round, begin, seconds(), 0});
    }

    /// By thread, those of each in the order of time.
    void give() {
        if (into_ == nullptr) return;
        into_->clear();
        for (const std::vector<PhaseTime>& times : of_threads_) into_->insert(into_->end(), times.begin(), times.end());
    }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    std::vector<PhaseTime>* into_;
    std::vector<std::vector<PhaseTime>> of_threads_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace kport
