/// @file past_rounds.hpp   Rounds that are over at one rank, and not yet closed at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/audit/round_part.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// In the order of rounds, as plain numbers: a rank may run thousands of rounds before it tells the others.
///
/// Callers   one task at a time.
class PastRounds {
  public:
    [[nodiscard]] std::size_t size() const { return sums_.size(); }

    /// `before`: rounds that this rank let pass alone since the round before.
    void push(std::span<const Silence> before, RoundPart part) {
        for (const Silence& silence : before) silences_.push_back({sums_.size(), silence});
        sums_.push_back(part);
        encounters_ = std::move(part.encounters);
    }
    /// Takes in those of other nodes: of the same rounds, but for those that one rank has run alone.
    void add(PastRounds other) {
        if (size() < other.size()) std::swap(*this, other);
        for (std::size_t i = 0; i < other.size(); ++i) sums_[i].add(other.sums_[i]);
        encounters_.take(other.encounters_);
    }
    /// Calls tell(silence) and close(part) in the order of rounds, and forgets them.
    template <class Tell, class Close>
    void close_all(const Tell& tell, const Close& close) {
        auto silence = silences_.begin();
        for (std::size_t i = 0; i < size(); ++i) {
            for (; silence != silences_.end() && silence->place == i; ++silence) tell(silence->silence);
            RoundPart part{sums_[i], {}};
            if (i + 1 == size()) part.encounters = std::exchange(encounters_, {});
            close(part);
        }
        *this = {};
    }

    template <class Archive>
    void travel(Archive& archive) {
        archive(sums_, silences_, encounters_);
    }

  private:
    struct SilenceBefore {
        std::uint64_t place;  ///< in `sums_`, of the round after it
        Silence silence;
    };
    std::vector<RoundSums> sums_;
    std::vector<SilenceBefore> silences_;
    Encounters encounters_;  ///< of the last round: where there are any, no rank runs alone
};

}  // namespace kport
