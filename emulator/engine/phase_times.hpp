/// @file phase_times.hpp   What the threads of a run did when. Measured, so other times in every run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <oneapi/tbb/task_arena.h>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// What lockstep does in a round, one after the other; either `accept` or `arbitrate` moves the messages. Several ranks `exchange`
/// letters, after the programs and where claims may compete.
enum class Phase : std::uint8_t { programs, collect, accept, arbitrate, audit, exchange };

/// "programs", "collect", ...
[[nodiscard]] constexpr std::string_view name(Phase phase) {
    constexpr std::string_view names[] = {"programs", "collect", "accept", "arbitrate", "audit", "exchange"};
    return names[static_cast<std::size_t>(phase)];
}

/// One thread served one partition in a phase of a round; `arbitrate`, `audit` and `exchange` serve all, and name partition 0.
struct PhaseTime {
    Phase phase;
    unsigned thread;
    unsigned partition;
    Round round;
    double begin_seconds;  ///< since the engine of its rank was set up
    double end_seconds;
    unsigned rank = 0;
};

/// A run keeps so many of each thread, those of its first rounds.
inline constexpr std::size_t phase_times_max = std::size_t{1} << 17;

/// Takes the times of a run.
///
/// Callers   timed(): a thread of the run's arena at a time; give(): one, after them.
/// Cost      of timed() where nobody wants the times: a comparison.
class PhaseClock {
  public:
    /// `into` null: nobody wants them.
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
