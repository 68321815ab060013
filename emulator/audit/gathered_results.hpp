/// @file gathered_results.hpp   The results of segments that a node gathers and sends on.
#pragma once

#include <optional>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// The results that a node of a vector has, of segments whose books may all differ: while it does what nearly all do, each message is
/// a look. It sends a result that it has made, and what comes it sends on the next time that it sends, alone or with all others.
/// As soon as it does anything else the books of the segments tell of the results (tell()), for ever.
///
/// Cost   O(1) while they are a progression.
class GatheredResults {
  public:
    /// `are_here` false: the books tell of them from the start.
    explicit GatheredResults(bool are_here) : are_here_(are_here) {}

    [[nodiscard]] bool are_here() const { return are_here_; }
    [[nodiscard]] bool none() const { return sent_.empty() && !came_; }
    /// Whether they are those of all segments.
    [[nodiscard]] bool are_all(std::uint64_t segments) const {
        return are_here_ && sent_.size() + (came_ ? came_->count : 0) == segments;
    }

    /// Results that the node has made, and sends.
    void add_sent(const Progression& segments) { sent_.add(block_of({}, segments)); }
    /// False, and nothing is changed, if it is for the books to tell.
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

    /// Calls note(segments, are_sent) for those that are here, whose books tell of them from now on.
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
    std::optional<Progression> came_;  ///< since the node has sent results
    bool are_here_;
};

}  // namespace kport
