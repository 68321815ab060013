/// @file round_listener.hpp   Interface by which a recorder, progress and pictures see the rounds of an execution.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/machine/metrics.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Sees the rounds of an execution beside the auditor.
///
/// Callers   one task at a time; some calls a round, none a message.
class RoundListener {
  public:
    RoundListener() = default;
    RoundListener(const RoundListener&) = delete;
    RoundListener& operator=(const RoundListener&) = delete;
    virtual ~RoundListener() = default;

    /// Whether to call moved(). The transfers of a round are collected only if a listener wants them.
    [[nodiscard]] virtual bool wants_transfers() const { return true; }
    /// All transfers of a round, by sender and port. Valid during the call.
    virtual void moved(Round, std::span<const Transfer>) {}
    /// Programs let `count` rounds from `first` on pass; reported when something moves again.
    virtual void silent(Round /*first*/, std::uint64_t /*count*/) {}
    /// The round is closed. `so_far`: metrics of all rounds; `reached`: nodes that have received a packet.
    virtual void closed(const RoundMetrics&, const Metrics& /*so_far*/, std::uint64_t /*reached*/) {}
};

}  // namespace kport
