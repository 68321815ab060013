/// @file round_listener.hpp   The rounds of an execution, for others than the auditor.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/machine/metrics.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Sees the rounds of an execution besides the auditor: a recorder, progress, pictures.
///
/// Callers   one task at a time; some calls a round, none a message.
class RoundListener {
  public:
    RoundListener() = default;
    RoundListener(const RoundListener&) = delete;
    RoundListener& operator=(const RoundListener&) = delete;
    virtual ~RoundListener() = default;

    /// Whether moved() is for it. Where nobody wants the transfers of a round, nobody puts them together.
    [[nodiscard]] virtual bool wants_transfers() const { return true; }
    /// All transfers of a round, by sender and port. They live as long as the call.
    virtual void moved(Round, std::span<const Transfer>) {}
    /// Programs let `count` rounds pass from `first` on, which are over when something moves again.
    virtual void silent(Round /*first*/, std::uint64_t /*count*/) {}
    /// The round is over. `so_far`, `reached`: of all rounds; nodes that have received a packet.
    virtual void closed(const RoundMetrics&, const Metrics& /*so_far*/, std::uint64_t /*reached*/) {}
};

}  // namespace kport
