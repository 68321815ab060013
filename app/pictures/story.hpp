/// @file story.hpp   What every picture is made from: the transfers of a schedule and its verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/engine/progress.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Returns "NODUP", as in texts.
[[nodiscard]] constexpr std::string_view title_of(Rule rule) {
    return rule_rows.at(static_cast<std::size_t>(rule)).title;
}

/// An argument for a lower bound: "fan-out: ceil(log2 8)", the bound that it gives, and its source.
struct BoundArgument {
    std::string name;
    double value = 0;
    std::string source;
};

/// A schedule on a machine, and its verdict. Immutable while a picture is drawn.
struct Story {
    Machine machine;
    Collective collective;
    Schedule schedule;  ///< what moved; well formed on the machine's topology
    Verdict verdict;
    std::string title;  ///< "broadcast from node 0 on hypercube:3 by sbt"
    std::string cost;   ///< "3 rounds (optimal), work 7 hops (optimal), ...; all rules kept"
    PerQuantity<std::optional<double>> bounds = {};               ///< lower ones; nothing where none is known
    std::vector<std::pair<std::string, std::string>> facts = {};  ///< more lines: {"again", "kport run ..."}
    /// Of a picture that shows them (PictureKind::argues): the binding one first.
    PerQuantity<std::vector<BoundArgument>> arguments = {};
    std::vector<PhaseTime> phases = {};  ///< what the threads did, by thread and time; empty unless measured

    [[nodiscard]] const Topology& topology() const { return *machine.topology; }
    /// What is drawn: hosts, and behind them switches.
    [[nodiscard]] const Topology& wires() const { return topology().wires(); }
    [[nodiscard]] bool is_switch(NodeId v) const;
};

/// From a recorded run. If it was stopped, transfers after its last round are left out.
[[nodiscard]] Story story_of(const Report& report, Schedule recorded);

/// Returns the text with the file's name for each mention of its path: a picture is shown to others, who need not know the
/// folders of a computer. "file:/home/a/graph.txt" becomes "file:graph.txt".
[[nodiscard]] std::string without_folders(std::string text, const std::string& path);

/// A machine without a schedule: nothing is promised, and nothing moves. `facts`: a line about it.
[[nodiscard]] Story story_of(std::shared_ptr<const Topology> topology, std::string facts);
[[nodiscard]] bool is_machine_alone(const Story& story);

/// The transfers of one round, as indices in the schedule, and its violations, as indices in the verdict.
struct Step {
    Round round = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<std::size_t> violations = {};

    [[nodiscard]] std::size_t transfers() const { return end - begin; }
};

/// Returns the rounds in which something moved or a rule was broken, in order. Violations without a round are in none.
[[nodiscard]] std::vector<Step> steps_of(const Story& story);

/// Whether the violation concerns the transfer.
[[nodiscard]] bool speaks_of(const Violation& violation, Round round, const Transfer& transfer);

/// Returns "NODUP" if a violation of the step concerns the transfer; the first one if several do.
[[nodiscard]] std::optional<Rule> rule_broken_by(const Story& story, const Step& step, const Transfer& transfer);

/// Whether the packets are results of a reduction, sent as packets of their own, which contain all contributions.
[[nodiscard]] bool is_result(const Collective& collective, const PacketBlock& packets, NodeId nodes);

/// How much of its promise a node has.
enum class Has : std::uint8_t { nothing, some, all, gave };

/// What each node holds, round by round.
///
///     NodeStates nodes(story);                             before round 1
///     for (const Step& step : steps) nodes.take(step);     after that round
///
/// Memory   what the nodes hold: 40 bytes a node for a broadcast, sets of packets for other operations.
/// Cost     a step O(transfers x blocks that their receiver holds).
class NodeStates {
  public:
    explicit NodeStates(const Story& story);

    void take(const Step& step);

    /// Returns what it has owned or received so far; in a reduction the contributions. If a packet has one taker
    /// (scatter, gather, alltoall, reduce), what a node has sent to others is excluded.
    [[nodiscard]] const PacketSet& held(NodeId v) const { return held_[v]; }
    /// If everything goes to one node, the others have some until they send: then they gave.
    [[nodiscard]] Has has(NodeId v) const;
    /// Returns the round in which it got all that it is promised, 0 from the start; if everything goes to one node, for
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

/// The meaning of a state in this story, for the legend; only states that occur.
struct Meaning {
    Has has;
    std::string says;
};
[[nodiscard]] std::vector<Meaning> meanings_of(const Story& story);

/// Returns them by node, after the last round.
[[nodiscard]] std::vector<Round> rounds_learned(const Story& story);
/// Returns the name of those rounds: "the round in which each node learned the packet".
[[nodiscard]] std::string learning_of(const Story& story);

}  // namespace kport
