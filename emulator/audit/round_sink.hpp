/// @file round_sink.hpp   Interface by which all engines report rounds to the auditor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/audit/round_listener.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Takes the rounds of an execution in order and passes them to the auditor and the listeners.
///
///     silent()     the rounds before this one that programs let pass, if any
///     sent()       each transfer, by its sender's shard; different shards by different tasks
///     moved()      all of them, by one task: needed on machines with paths, and if wants_transfers()
///     received()   each transfer, by its receiver's shard; different shards by different tasks
///     close()      by one task
///
/// show() does all of it for an execution with a single shard.
///
/// Cost   as the auditor: functions called for each message are inline.
class RoundSink {
  public:
    /// Auditor and listeners must outlive it.
    RoundSink(const Machine& machine, Auditor& auditor) : auditor_(auditor), has_paths_(machine.has_paths()) {}
    RoundSink(const RoundSink&) = delete;
    RoundSink& operator=(const RoundSink&) = delete;

    void add(RoundListener& listener) {
        listeners_.push_back(&listener);
        wants_transfers_ |= listener.wants_transfers();
    }
    [[nodiscard]] bool wants_transfers() const { return wants_transfers_; }

    template <class AnyTransfer>  // Transfer or Hop
    [[gnu::always_inline]] void sent(unsigned shard, Round round, const AnyTransfer& transfer) {
        auditor_.sent(shard, round, transfer);
    }
    template <class AnyTransfer>
    [[gnu::always_inline]] void received(unsigned shard, Round round, const AnyTransfer& transfer) {
        auditor_.received(shard, round, transfer);
    }
    void moved(Round round, std::span<const Transfer> transfers);
    RoundMetrics close(Round round, std::span<const unsigned> shards) {
        return told(auditor_.end_round(round, shards));
    }
    /// First step of close(); the parts of several processes are added before the second step.
    [[nodiscard]] RoundPart take(Round round, std::span<const unsigned> shards) {
        return auditor_.take_round(round, shards);
    }
    RoundMetrics close(RoundPart& whole) { return told(auditor_.close_round(whole)); }
    void silent(Round first, std::uint64_t count);

    /// Reports a whole round: its transfers, by sender and port.
    RoundMetrics show(Round round, std::span<const Transfer> transfers);
    static constexpr unsigned only_shard = 0;

  private:
    const RoundMetrics& told(const RoundMetrics& closed) {
        for (RoundListener* listener : listeners_) listener->closed(closed, auditor_.metrics(), auditor_.reached());
        return closed;
    }

    Auditor& auditor_;
    bool has_paths_;
    bool wants_transfers_ = false;
    std::vector<RoundListener*> listeners_;
};

/// Records transfers in a schedule.
class Recorder final : public RoundListener {
  public:
    explicit Recorder(Schedule& schedule) : schedule_(schedule) {}
    void moved(Round round, std::span<const Transfer> transfers) override {
        for (const Transfer& transfer : transfers) schedule_.add(round, transfer);
    }
    void silent(Round first, std::uint64_t count) override { schedule_.add_silent(first, count); }

  private:
    Schedule& schedule_;
};

}  // namespace kport
