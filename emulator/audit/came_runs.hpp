/// @file came_runs.hpp   The values received by a node that receives many, each a run of nodes.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// Decides quickly whether a run of contributions is a sum of received values, as long as each of these is a run of
/// nodes and no two overlap. In other cases it gives no answer.
///
/// Callers   one task at a time.
/// Cost      O(log values) a call.
class CameRuns {
  public:
    /// Records a received value. `begins`: the contributions are the whole value or its first part; values of several
    /// parts are not used.
    void note(const Progression& contributions, bool begins) {
        if (!tells_) return;
        const std::uint32_t end = contributions.last() + 1;
        const auto next = end_by_first_.lower_bound(contributions.first);
        tells_ = begins && is_run(contributions) && !lies_across(contributions.first, next) &&
                 (next == end_by_first_.end() || next->first >= end);
        if (tells_)
            end_by_first_.emplace_hint(next, contributions.first, end);
        else
            end_by_first_.clear();
    }
    /// Whether received values and the node's own contribution add up to a run of the contributions that it holds.
    [[nodiscard]] bool adds_up_to(const Progression& contributions) const {
        return tells_ && is_run(contributions) && !lies_across(contributions.first) &&
               !lies_across(contributions.last() + 1);
    }

  private:
    using Runs = std::map<std::uint32_t, std::uint32_t>;

    [[nodiscard]] static bool is_run(const Progression& some) { return some.count == 1 || some.stride == 1; }
    /// Whether a run has both `node` and the node before it.
    [[nodiscard]] bool lies_across(std::uint32_t node) const {
        return lies_across(node, end_by_first_.lower_bound(node));
    }
    /// `next`: the first run that does not begin before the node.
    [[nodiscard]] bool lies_across(std::uint32_t node, Runs::const_iterator next) const {
        return next != end_by_first_.begin() && std::prev(next)->second > node;
    }

    Runs end_by_first_;
    bool tells_ = true;
};

}  // namespace kport
