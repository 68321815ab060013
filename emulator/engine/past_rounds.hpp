/// @file past_rounds.hpp   Rounds that are over at one rank, and not yet closed at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/audit/round_part.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// In the order of rounds, as plain numbers: a rank may run thousands of rounds before it tells the others. Rounds of one rank
/// that follow one another and cost the same are one number more: on a line that is most of them.
///
/// Callers   one task at a time.
class PastRounds {
  public:
    /// Those that are alike are one.
    [[nodiscard]] std::size_t size() const { return rounds_.size(); }

    /// A round of which this rank has run a part.
    void push(RoundPart part) {
        rounds_.push_back({part.sums(), 1, false});
        encounters_ = std::move(part.encounters);
    }
    /// A round that it has run alone. `before`: those that it let pass alone since the round before.
    void push_alone(std::span<const Silence> before, const RoundSums& whole) {
        for (const Silence& silence : before) silences_.push_back({rounds_.size(), silence});
        if (before.empty() && !rounds_.empty() && rounds_.back().is_followed_by(whole))
            ++rounds_.back().count;
        else
            rounds_.push_back({whole, 1, true});
    }
    /// Takes in those of other nodes: parts of the same rounds, but for those that one rank has run alone.
    void add(PastRounds other) {
        if (rounds_.size() < other.rounds_.size()) std::swap(*this, other);
        for (std::size_t i = 0; i < other.rounds_.size(); ++i) rounds_[i].first.add(other.rounds_[i].first);
        encounters_.take(other.encounters_);
    }
    /// Calls tell(silence) and close(part) in the order of rounds, and forgets them.
    template <class Tell, class Close>
    void close_all(const Tell& tell, const Close& close) {
        auto silence = silences_.begin();
        for (std::size_t i = 0; i < rounds_.size(); ++i) {
            for (; silence != silences_.end() && silence->place == i; ++silence) tell(silence->silence);
            RoundPart part{rounds_[i].first, {}};
            if (i + 1 == rounds_.size()) part.encounters = std::exchange(encounters_, {});
            close(part);
            for (std::uint64_t more = rounds_[i].count - 1; more != 0; --more) {
                part.advance();
                close(part);
            }
        }
        *this = {};
    }

    template <class Archive>
    void travel(Archive& archive) {
        archive(rounds_, silences_, encounters_);
    }

  private:
    /// Rounds with consecutive numbers and the same sums.
    struct Alike {
        RoundSums first;
        std::uint64_t count;
        bool is_whole;  ///< both sides of all messages are there

        /// What both sides have shown alike need not be told.
        [[nodiscard]] bool is_followed_by(const RoundSums& next) const {
            RoundMetrics expected = first.metrics;
            expected.round += static_cast<Round>(count);
            return is_whole && first.agree() && next.agree() && next.metrics == expected;
        }
    };
    struct SilenceBefore {
        std::uint64_t place;  ///< in `rounds_`, of the round after it
        Silence silence;
    };
    std::vector<Alike> rounds_;
    std::vector<SilenceBefore> silences_;
    Encounters encounters_;  ///< of the last round: where there are any, no rank runs alone
};

}  // namespace kport
