/// @file step_contents.hpp   What messages of programs of ranks can carry if the file does not give it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "app/files/fault_list.hpp"
#include "app/files/ranked_steps.hpp"
#include "app/files/step_order.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// Tracks what ranks know. A send carries its rank's own packets and what the steps that it requires have received, so
/// that nothing depends on the order of execution. If packets do not follow from the operation, ranks heard of are
/// tracked.
class StepContents {
  public:
    /// Whether the contents of messages follow from the operation.
    [[nodiscard]] static bool follows(const Collective& collective);

    /// `follows`: the contents follow from the operation, or from a promise (ScheduleContext::all_held).
    StepContents(const std::vector<RankedStep>& steps, const StepOrder& order, const Collective& collective,
                 NodeId nodes, bool follows);

    /// Judges contents that follow: findings `order` and `delivery`.
    void judge(const std::vector<EventId>& topological, FaultList& faults);
    /// Finds ranks that cannot have heard of one that they need, in any order: findings `delivery`.
    void judge_possible(FaultList& faults);
    /// Sets what a send carries, from a comment.
    void say(std::uint32_t send, PacketSet packets) { said_[send] = std::move(packets); }
    /// Judges whether every send can carry what was said, in any order of the steps: findings `order` and `delivery`.
    void judge_said(const std::vector<EventId>& topological, FaultList& faults);
    /// Whether some message carries nothing, but orders steps; after judge().
    [[nodiscard]] bool has_signals() const;
    /// Judges that no rank receives a packet twice, or one of its own: findings `nodup` and `noho`; after judge().
    void judge_receipts(FaultList& faults) const;
    /// Returns what a send carries; after judge().
    [[nodiscard]] const PacketSet& carried(std::uint32_t send) const { return known_[StepOrder::start_of(send)]; }

  private:
    [[nodiscard]] PacketSet own(NodeId rank) const;
    [[nodiscard]] PacketSet needed(NodeId rank) const;
    void follow(const std::vector<EventId>& topological);
    [[nodiscard]] bool has_few_steps() const;
    void find_receives_before_sends();
    void find_possible();
    [[nodiscard]] bool holds(const PacketSet& known, const PacketSet& said) const;
    void find_missing_receives(std::uint32_t send);
    [[nodiscard]] FoundFault missing_order(std::uint32_t send, std::uint32_t receive) const;
    void note_missing_orders(FaultList& faults);
    [[nodiscard]] bool may_lack(std::uint32_t send, std::uint32_t receive) const;

    const std::vector<RankedStep>& steps_;
    const StepOrder& order_;
    const Collective& collective_;
    NodeId nodes_;
    bool follows_;
    std::map<std::uint32_t, PacketSet> said_;  ///< by send
    std::vector<PacketSet> known_;             ///< by event, in every order of execution
    std::vector<PacketSet> at_end_;            ///< by rank
    std::vector<PacketSet> possible_;          ///< by send: including all receives that do not come after it
    std::vector<PacketSet> possible_at_end_;
    std::vector<std::vector<std::uint32_t>> receives_of_;
    std::vector<std::uint32_t> sends_;
    std::vector<std::vector<std::uint32_t>> before_sends_;  ///< by send: receives of its rank that do not come after it
};

}  // namespace kport
