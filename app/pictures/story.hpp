/// @file story.hpp   What every picture is made from: who sent what to whom, and what an audit says of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/phase_times.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// "NODUP", as texts say it.
[[nodiscard]] constexpr std::string_view title_of(Rule rule) {
    return rule_rows.at(static_cast<std::size_t>(rule)).title;
}

/// A schedule on a machine, and its verdict. A value; nothing in it changes while a picture is drawn.
struct Story {
    Machine machine;
    Collective collective;
    Schedule schedule;  ///< what moved; well formed on the machine's topology
    Verdict verdict;
    std::string title;                   ///< "broadcast from node 0 on hypercube:3 by sbt"
    std::string cost;                    ///< "3 rounds (optimal), work 7 hops (optimal), ...; all rules kept"
    std::vector<PhaseTime> phases = {};  ///< what the threads did, by thread and time; empty where nobody looked

    [[nodiscard]] const Topology& topology() const { return *machine.topology; }
};

/// Of a run that was recorded. Transfers behind the last round of a run that was stopped are left out.
[[nodiscard]] Story story_of(const Report& report, Schedule recorded);

/// Of a machine alone: nothing is promised, and nothing moves. `facts`: a line about it.
[[nodiscard]] Story story_of(std::shared_ptr<const Topology> topology, std::string facts);
[[nodiscard]] bool is_machine_alone(const Story& story);

/// The transfers of one round, by their places in the schedule, and the violations that happened in it, by theirs in the verdict.
struct Step {
    Round round = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<std::size_t> violations = {};

    [[nodiscard]] std::size_t transfers() const { return end - begin; }
};

/// The rounds in which something moved or a rule was broken, in order. A violation of no round is none of theirs.
[[nodiscard]] std::vector<Step> steps_of(const Story& story);

/// Whether the violation speaks of the transfer.
[[nodiscard]] bool speaks_of(const Violation& violation, Round round, const Transfer& transfer);

/// "NODUP" where a violation of the step speaks of the transfer; the first one if several do.
[[nodiscard]] std::optional<Rule> rule_broken_by(const Story& story, const Step& step, const Transfer& transfer);

/// Whether they are the result of a reduction as a packet of its own, which all contributions are in; of several segments some
/// of their results.
[[nodiscard]] bool is_result(const Collective& collective, const PacketBlock& packets, NodeId nodes);

/// What a node has of what it is to have.
enum class Has : std::uint8_t { nothing, some, all, gave };

/// Who holds what, round by round.
///
///     NodeStates nodes(story);                             before round 1
///     for (const Step& step : steps) nodes.take(step);     after that round
///
/// Memory   what the nodes hold: of a broadcast 40 bytes a node, of other operations their sets of packets.
/// Cost     of a step O(transfers x blocks that their receiver holds).
class NodeStates {
  public:
    explicit NodeStates(const Story& story);

    void take(const Step& step);

    /// What it has owned or received so far; of a reduction the contributions. Where a packet has one taker (scatter, gather,
    /// alltoall, reduce), what a node has sent to others is no longer among it.
    [[nodiscard]] const PacketSet& held(NodeId v) const { return held_[v]; }
    /// Where everything goes to one node, the others have some until they send: then they gave.
    [[nodiscard]] Has has(NodeId v) const;
    /// The round in which it came to have all that it is to have, 0 from the start; where everything goes to one node, of
    /// the others the round in which they sent. `never` until then.
    [[nodiscard]] Round learned(NodeId v) const { return learned_[v]; }
    static constexpr Round never = std::numeric_limits<Round>::max();

  private:
    void look_at(NodeId v, Round round);
    void pass_on(const Transfer& transfer);
    void take_up(PacketSet& held, std::span<const PacketBlock> packets) const;

    const Story& story_;
    std::vector<PacketSet> held_;
    std::vector<Round> learned_;
};

/// What the states mean in this story, as a legend says it; those that occur in it.
struct Meaning {
    Has has;
    std::string says;
};
[[nodiscard]] std::vector<Meaning> meanings_of(const Story& story);

/// By node, after the last round.
[[nodiscard]] std::vector<Round> rounds_learned(const Story& story);
/// What those rounds are called: "the round in which each node learned the packet".
[[nodiscard]] std::string learning_of(const Story& story);

}  // namespace kport
