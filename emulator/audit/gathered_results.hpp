/// @file gathered_results.hpp   The results of segments that a node gathers and sends on.
#pragma once

#include <optional>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// Results of segments, held by a node whose segments may all have different records, for the common pattern in O(1) a
/// message: the node sends a result that it made, and forwards what came with its next send, singly or together with
/// all others. After any other step the records of the segments take over for the rest of the run (tell()).
///
/// Cost   O(1) while they are a progression.
class GatheredResults {
  public:
    /// `are_here` false: the segments' records hold the results from the start.
    explicit GatheredResults(bool are_here) : are_here_(are_here) {}

    [[nodiscard]] bool are_here() const { return are_here_; }
    [[nodiscard]] bool none() const { return sent_.empty() && !came_; }
    /// Whether all segments' results are here.
    [[nodiscard]] bool are_all(std::uint64_t segments) const {
        return are_here_ && sent_.size() + (came_ ? came_->count : 0) == segments;
    }

    /// Adds results that the node made and sends.
    void add_sent(const Progression& segments) { sent_.add(block_of({}, segments)); }
    /// Records a send of results. Returns false, and changes nothing, if only the segments' records can judge it.
    [[nodiscard]] bool sends(const Progression& segments) {
        if (!are_here_ || !came_) return false;
        if (segments == *came_) {
            sent_.add(block_of({}, segments));
        } else {
            const auto both = sent_.is_block() ? joined(sent_.block(), block_of({}, *came_)) : std::nullopt;
            if (!both || both->columns() != segments) return false;
            sent_.replace(*both);
        }
        came_.reset();
        return true;
    }
    [[nodiscard]] bool receives(const Progression& segments) {
        const PacketBlock block = block_of({}, segments);
        if (!are_here_ || came_ || common_size({&block, 1}, sent_) != 0) return false;
        came_ = segments;
        return true;
    }

    /// Calls note(segments, are_sent) for the results that are here and leaves them to the segments' records.
    template <class Note>
    void tell(const Note& note) {
        if (!are_here_) return;
        are_here_ = false;
        for (const PacketBlock& block : sent_.blocks()) note(block.columns(), true);
        if (came_) note(*came_, false);
        sent_.clear();
    }

  private:
    PacketSet sent_;
    std::optional<Progression> came_;  ///< received since the node last sent results
    bool are_here_;
};

}  // namespace kport
