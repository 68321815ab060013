/// @file progress.hpp   Progress of a run, without reading the clock in every tiny round.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "emulator/audit/round_listener.hpp"
#include "emulator/machine/metrics.hpp"

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

}  // namespace kport
