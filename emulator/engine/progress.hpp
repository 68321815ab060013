/// @file progress.hpp   What a run tells while it goes: its progress, programs that compute for long, the times of its phases.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/audit/round_listener.hpp"
#include "emulator/base/types.hpp"
#include "emulator/machine/metrics.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The messages so far, and the number of nodes that have received one.
using ProgressFunction = std::function<void(const Metrics&, std::uint64_t reached)>;

/// Calls a progress function after the first round, and then about five times a second.
///
/// Callers   one task.
class Progress final : public RoundListener {
  public:
    explicit Progress(ProgressFunction tell) : tell_(std::move(tell)) {}

    [[nodiscard]] bool wants_transfers() const override { return false; }
    void closed(const RoundMetrics& round, const Metrics& so_far, std::uint64_t reached) override {
        unasked_ += 1 + round.transfers / 16;
        if (unasked_ < asked_after) return;
        unasked_ = 0;
        show(so_far, reached);
    }

    /// Tells these counts.
    void show(const Metrics& metrics, std::uint64_t reached) {
        if (!tell_) return;
        const Clock::time_point now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(200)) return;
        last_ = now;
        tell_(metrics, reached);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t asked_after = 4096;  ///< rounds, or messages by sixteen

    ProgressFunction tell_;
    std::uint64_t unasked_ = asked_after;
    Clock::time_point last_;
};

/// A node program that computes and has not waited in a `co_await` since.
struct Computing {
    NodeId node;
    Round round;
    double seconds;
    bool stopping;  ///< the run is to stop (RunOptions::stop), which it cannot before the program waits
};
/// "round 3: node 5 has been computing for 5 s without co_await".
[[nodiscard]] std::string text(const Computing& computing, const Topology& topology);

/// Called by the watching thread. What it throws is thrown by the run, at its end.
using ComputingFunction = std::function<void(const Computing&)>;

/// What lockstep does in a round, one after the other; either `accept` or `arbitrate` moves the messages. Several ranks `exchange`
/// letters, after the programs and where claims may compete.
enum class Phase : std::uint8_t { programs, collect, accept, arbitrate, audit, exchange };

/// "programs", "collect", ...
[[nodiscard]] constexpr std::string_view name(Phase phase) {
    constexpr std::string_view names[] = {"programs", "collect", "accept", "arbitrate", "audit", "exchange"};
    return names[static_cast<std::size_t>(phase)];
}

/// Measured, so other times in every run: one thread served one partition in a phase of a round; `arbitrate`, `audit` and `exchange`
/// serve all, and name partition 0.
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

}  // namespace kport
