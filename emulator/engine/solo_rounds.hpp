/// @file solo_rounds.hpp   Rounds that one rank runs alone, and what all ranks hear of past rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/audit/round_sink.hpp"
#include "emulator/engine/all_ranks.hpp"
#include "emulator/engine/arbiter.hpp"
#include "emulator/engine/past_rounds.hpp"
#include "emulator/engine/rank_mail.hpp"

namespace kport {

/// A rank that alone has something to do runs round after round without the others, as long as nothing concerns them. They wait
/// for it in their next exchange, and then hear of all these rounds. Every rank closes every round, in order.
///
/// Callers   one task, between the rounds of the engine.
class SoloRounds {
  public:
    /// All outlive it.
    SoloRounds(RoundSink& rounds, const AllRanks& ranks, const Arbiter& arbiter)
        : rounds_(rounds), ranks_(ranks), arbiter_(arbiter) {}

    /// Whether this rank alone has something to do in the round at hand; or another one, for which this one waits.
    [[nodiscard]] bool is_here() const { return is_solo() && *rank_ == ranks_.rank(); }
    [[nodiscard]] bool is_elsewhere() const { return is_solo() && *rank_ != ranks_.rank(); }
    /// The first round in which others may have something to do.
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// Whether some node waits for a later round, here or at another rank, when this one runs alone.
    [[nodiscard]] bool some_wait() const { return is_here() && some_wait_; }

    /// After an exchange, picks the rank that runs the next round; `partitions`: those that may have something to do, a bit each. Other
    /// ranks are still updated periodically.
    void choose(const RoundNews& news, std::uint64_t partitions);

    /// What the other ranks have not heard of.
    [[nodiscard]] PastRounds& past() { return past_; }
    /// All ranks have heard of these rounds. Thousands, which one rank has run alone, are closed when this rank waits itself: else
    /// the others would wait for it. Some, or `at_once`: now.
    void hear(PastRounds past, bool at_once);
    void close_heard();

  private:
    [[nodiscard]] bool is_solo() const { return rank_.has_value() && !arbiter_.anything_waits(); }

    RoundSink& rounds_;
    const AllRanks& ranks_;
    const Arbiter& arbiter_;
    std::optional<unsigned> rank_;  ///< that alone has something to do next, before round end_
    std::uint64_t end_ = 0;
    bool some_wait_ = false;
    PastRounds past_;
    std::vector<PastRounds> heard_;  ///< and not closed here
};

}  // namespace kport
