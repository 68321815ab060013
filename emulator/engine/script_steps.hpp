/// @file script_steps.hpp   What each node does that follows a schedule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/engine/job.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// One act of a node.
struct ScriptStep {
    Round round;
    std::uint32_t peer;  ///< to whom it sends, or from whom it receives
    Port port;           ///< by which it sends over one link; else along_route or receives
    std::uint32_t transfer : 31;
    bool result : 1;  ///< the message carries the result of a reduction

    static constexpr std::uint32_t transfers_max = std::uint32_t{1} << 31;
    static constexpr Port receives = no_port;
    static constexpr Port along_route = no_port - 1;
    [[nodiscard]] bool sends() const { return port != receives; }
};
static_assert(sizeof(ScriptStep) == 16);

/// What each node does, in order: in a round it first sends, then receives.
///
/// Callers   any thread, after construction. The schedule must outlive it.
class Script {
  public:
    Script(const Schedule& schedule, const Machine& machine, const Collective& collective, Naming naming);

    [[nodiscard]] std::span<const ScriptStep> steps(NodeId v) const {
        return {steps_.data() + first_[v], first_[v + 1] - first_[v]};
    }
    [[nodiscard]] SendRequest request(const ScriptStep& step, Cargo cargo) const {
        if (step.port != ScriptStep::along_route) return {step.port, cargo};
        return {step.peer, schedule_.transfer(step.transfer).route, cargo};
    }
    [[nodiscard]] PacketSet packets(const ScriptStep& step) const {
        PacketSet packets;
        packets.add(schedule_.transfer(step.transfer).packets);
        return packets;
    }
    /// Whether node v keeps apart the values that come to it (engine/kept_values.hpp).
    [[nodiscard]] bool keeps_parts(NodeId v) const { return !keeps_parts_.empty() && keeps_parts_[v]; }

    /// The nodes that do not wait for a message first, and for which round they wait.
    void list_starters(Job& job) const;

  private:
    [[nodiscard]] ScriptStep sending(std::size_t i, const Topology& topology) const;
    [[nodiscard]] ScriptStep receiving(std::size_t i) const;
    [[nodiscard]] ScriptStep step(std::size_t i, const Transfer& transfer, NodeId peer, Port port) const;
    /// Whether a node to which nothing comes has a result.
    [[nodiscard]] bool has_result_alone(NodeId v) const;

    const Schedule& schedule_;
    Collective collective_;
    NodeId nodes_;
    std::vector<std::size_t> first_;  ///< by node, in steps_
    std::vector<ScriptStep> steps_;
    std::vector<bool> keeps_parts_;  ///< by node; empty: none does
};

}  // namespace kport
