/// @file metrics.hpp   The cost of a run: the four quantities of model.md section 1, volume, and the table of rounds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// One round, as measured from its transfers.
struct RoundMetrics {
    Round round = 0;
    std::uint64_t transfers = 0;
    Hops hops = 0;                     ///< sum of path lengths
    Hops longest_path = 0;             ///< in links
    std::uint64_t largest_bundle = 0;  ///< in bytes
    std::uint64_t bytes = 0;           ///< sum over the messages, a message counted once whatever its path
    std::uint64_t reached = 0;         ///< nodes that received their first packet in this round
    double slowest = 0;                ///< latency of the round's slowest message, in time units

    bool operator==(const RoundMetrics&) const = default;

    void add(const RoundMetrics& other) {
        transfers += other.transfers;
        hops += other.hops;
        longest_path = std::max(longest_path, other.longest_path);
        largest_bundle = std::max(largest_bundle, other.largest_bundle);
        bytes += other.bytes;
        reached += other.reached;
        slowest = std::max(slowest, other.slowest);
    }
};

/// A whole run.
struct Metrics {
    std::uint64_t rounds = 0;          ///< r: up to the last transfer
    std::uint64_t silent_rounds = 0;   ///< those rounds that programs let pass on purpose, in which nothing moved
    std::uint64_t informed_after = 0;  ///< the last round in which some node received its first packet
    Hops work = 0;                     ///< w: sum of the messages' hops
    Hops path_sum = 0;                 ///< h: sum over rounds of the longest path
    std::uint64_t volume = 0;          ///< sum over rounds of the largest bundle, in bytes
    double latency = 0;                ///< t: sum over rounds of the slowest message, in time units
    std::uint64_t transfers = 0;
    std::uint64_t bytes = 0;
    double latency_lost = 0;  ///< compensation of rounding in `latency` (Kahan): a million rounds add up exactly

    bool operator==(const Metrics&) const = default;
    /// Adds a round. Rounds must be added in order: latency is a floating-point sum, equal on any number of threads.
    void add(const RoundMetrics& round) {
        if (round.transfers == 0) return;
        rounds = round.round;
        if (round.reached != 0) informed_after = round.round;
        work += round.hops;
        path_sum += round.longest_path;
        volume += round.largest_bundle;
        const double gain = round.slowest - latency_lost;
        const double sum = latency + gain;
        latency_lost = (sum - latency) - gain;
        latency = sum;
        transfers += round.transfers;
        bytes += round.bytes;
    }
};

}  // namespace kport
