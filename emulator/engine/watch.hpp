/// @file watch.hpp   Tells of a node program that computes for seconds without waiting, and so holds up its run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/engine/progress.hpp"

namespace kport {

/// Which node a runner resumes at the moment: two relaxed stores a resumption.
///
/// Callers   resumes(), rests(): the runner; the others: anyone.
class AtWork {
  public:
    void resumes(NodeId v, Round round) {
        round_.store(round, std::memory_order_relaxed);
        turn_.store(++turns_ << 32 | v, std::memory_order_relaxed);
    }
    void rests() { turn_.store(no_node_runs, std::memory_order_relaxed); }

    /// Differs for any two resumptions; `no_node_runs` while no node runs.
    [[nodiscard]] std::uint64_t turn() const { return turn_.load(std::memory_order_relaxed); }
    [[nodiscard]] static NodeId node_of(std::uint64_t turn) { return turn & 0xFFFFFFFF; }
    /// Right once the turn has lasted.
    [[nodiscard]] Round round() const { return round_.load(std::memory_order_relaxed); }

    static constexpr std::uint64_t no_node_runs = ~std::uint64_t{0};

  private:
    std::uint64_t turns_ = 0;
    std::atomic<std::uint64_t> turn_ = no_node_runs;
    std::atomic<Round> round_ = 0;
};

/// A thread that looks a few times a second whether some runner still is at the same resumption. It tells of one that has
/// lasted `after`, again at twice that time, at four times, and so on; at every look once `stop` is set.
///
/// Does nothing if the system refuses the thread.
class Watch {
  public:
    /// `tell` null: nothing is watched, at no cost. `stop` may be null. The runners outlive the watch.
    Watch(const ComputingFunction& tell, std::chrono::milliseconds after, const std::atomic<bool>* stop,
          std::vector<const AtWork*> runners);
    /// The runners are done. Throws what `tell` has thrown, after which nothing was watched.
    void end();

  private:
    void look_until(const std::stop_token& ended);
    void look();

    /// A resumption, as it was first seen.
    struct Seen {
        std::uint64_t turn = AtWork::no_node_runs;
        std::chrono::steady_clock::time_point since = {};
        std::chrono::milliseconds told_after = {};
    };

    const ComputingFunction& tell_;
    std::chrono::milliseconds after_;
    const std::atomic<bool>* stop_;
    std::vector<const AtWork*> runners_;
    std::vector<Seen> seen_;
    std::exception_ptr error_;  ///< of `tell`
    std::jthread thread_;       ///< last: it uses all others, and is joined first
};

}  // namespace kport
