/// @file round_part.hpp   What nodes show of a round: fingerprints of the transfers, and the sums of one process.
#pragma once

#include <cstdint>

#include "emulator/audit/encounters.hpp"
#include "emulator/base/types.hpp"
#include "emulator/machine/metrics.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Fingerprint of what one side shows of a round: sums that do not depend on the order, so that sides can be compared.
struct Shown {
    std::uint64_t transfers = 0;
    std::uint64_t rounds = 0;  ///< sum of the rounds named by the transfers
    std::uint64_t traces = 0;

    template <class AnyTransfer>
    void add(Round round, const AnyTransfer& transfer) {
        ++transfers;
        rounds += round;
        traces += trace(transfer);
    }
    Shown& operator+=(const Shown& other) {
        transfers += other.transfers;
        rounds += other.rounds;
        traces += other.traces;
        return *this;
    }
    bool operator==(const Shown&) const = default;

  private:
    // A step of the hash of a transfer.
    static constexpr std::uint64_t trace_step(std::uint64_t trace, std::uint64_t word) {
        trace = (trace ^ word) * 0x9E3779B97F4A7C15;
        return trace ^ (trace >> 32);
    }
    static constexpr std::uint64_t trace_of_ends(NodeId from, NodeId to) {
        return (from + 0xD1B54A32D192ED03) * (to + 0x8CB92BA72F3D8DD7);
    }
    static constexpr std::uint64_t two_words(std::uint32_t low, std::uint32_t high) {
        return low | std::uint64_t{high} << 32;
    }
    static std::uint64_t trace(const Transfer& transfer) {
        std::uint64_t trace = trace_of_ends(transfer.from, transfer.to);
        if (transfer.route.size() == 1) [[likely]]
            trace += transfer.route.front();
        else
            for (const Port port : transfer.route) trace = trace_step(trace, port);
        for (const PacketBlock& block : transfer.packets) trace = with_block(trace, block);
        return trace;
    }
    static std::uint64_t with_block(std::uint64_t trace, const PacketBlock& block) {
        trace = trace_step(trace, two_words(block.first, block.count));
        if (block.is_range() && block.row == 0) return trace;
        trace = trace_step(trace, two_words(block.row, block.rows));
        return trace_step(trace, two_words(block.stride, block.row_stride));
    }
    static std::uint64_t trace(const ValueHop& hop) {
        const FewBlocks few = hop.blocks();
        const std::uint64_t trace = with_block(trace_of_ends(hop.from, hop.to) + hop.port, few.places.front());
        return few.count == 1 ? trace : with_block(trace, few.places.back());
    }
    static std::uint64_t trace(const Hop& hop) {
        const std::uint64_t trace = trace_of_ends(hop.from, hop.to) + hop.port;
        return trace_step(trace, two_words(static_cast<std::uint32_t>(hop.packet), 1));
    }
};

/// Sums of a round: metrics and fingerprints of the transfers shown.
struct RoundSums {
    RoundMetrics metrics;
    Shown sent;
    Shown received;

    /// Whether senders and receivers showed the same transfers, all of this round.
    [[nodiscard]] bool agree() const { return sent == received && sent.rounds == sent.transfers * metrics.round; }
    /// Returns the sums, from any type that derives from them.
    [[nodiscard]] const RoundSums& sums() const { return *this; }
    /// Turns them into those of the next round, if it has the same transfers.
    void advance() {
        ++metrics.round;
        sent.rounds += sent.transfers;
        received.rounds += received.transfers;
    }
    /// Adds the sums of other nodes in the same round.
    void add(const RoundSums& other) {
        metrics.add(other.metrics);
        sent += other.sent;
        received += other.received;
    }
};

/// What must be added up over all processes before a round can be judged as a whole.
struct RoundPart : RoundSums {
    Encounters encounters;
};

}  // namespace kport
