/// @file world.hpp   What the partitions of a lockstep run share.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/audit/auditor.hpp"
#include "emulator/audit/round_sink.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/engine/choose_execution.hpp"
#include "emulator/engine/exchange_run.hpp"
#include "emulator/engine/few_messages.hpp"
#include "emulator/engine/stage.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

/// How many messages ask to be received by a node, or were granted to it, in a round.
class Claims {
  public:
    /// Counts one more of this round and returns how many there are.
    std::uint32_t add(Round round) {
        if (round_ != round) restart(round);
        return ++count_;
    }
    void restart(Round round) {
        round_ = round;
        count_ = 0;
    }
    [[nodiscard]] std::uint32_t count(Round round) const { return round_ == round ? count_ : 0; }

  private:
    Round round_;
    std::uint32_t count_;
};

/// Nodes are dealt to partitions in blocks of consecutive numbers, in turn. The deal does not depend on the threads, so
/// that the order in which anything happens is the same on any number of them.
class Deal {
  public:
    /// A block has at least `partition_nodes` >= 1 nodes, a power of two.
    explicit Deal(NodeId nodes, NodeId partition_nodes = partition_nodes_default);
    [[nodiscard]] unsigned partitions() const { return mask_ + 1; }
    [[nodiscard]] NodeId block() const { return NodeId{1} << block_bits_; }
    [[nodiscard]] unsigned home(NodeId v) const { return static_cast<unsigned>(v >> block_bits_) & mask_; }

    /// The nodes of every takers-th partition, from the taker's own number on.
    [[nodiscard]] NodeShare share(unsigned takers, unsigned taker) const {
        return {block_bits_, partitions(), takers, taker};
    }

    /// Calls visit(v) for each node of a partition, of so many nodes in all.
    template <class Visit>
    void for_each(unsigned partition, NodeId nodes, Visit&& visit) const {
        share(partitions(), partition).for_each(nodes, visit);
    }
    /// How many those are.
    [[nodiscard]] NodeId nodes(unsigned partition, NodeId all) const;

  private:
    static constexpr unsigned partitions_max = 64;
    unsigned block_bits_;
    unsigned mask_;
};

/// Where a node stands that goes by a timetable (World::timetable).
class TimetableCursor {
  public:
    /// The line at hand; 0: it has not begun.
    [[nodiscard]] Round line() const { return line_; }
    [[nodiscard]] bool is_over() const { return line_ == over; }
    /// The sender for which it waits; before it begins, that of the first message that has come. no_node: none.
    [[nodiscard]] NodeId waits_for() const { return waits_for_ == 0 ? no_node : NodeId{waits_for_ - code}; }

    /// The first message that has come is of that node.
    void begin_with(NodeId from) { wait_for(from); }
    void go_to(Round line) {
        line_ = line;
        waits_for_ = 0;
    }
    /// A number that is no node's counts as `no_port`, as in Node::receive_from().
    void wait_for(NodeId from) { waits_for_ = (from < no_port ? static_cast<std::uint32_t>(from) : no_port) + code; }
    void end() { go_to(over); }

  private:
    static constexpr Round over = ~Round{0};  // no run has so many rounds
    /// 0, as fresh memory is, means no sender; no_port is 1, and nodes, which are fewer, follow.
    static constexpr std::uint32_t code = 2;
    Round line_;
    std::uint32_t waits_for_;
};

/// The lines of a node that goes by a timetable.
struct LinesLeft {
    Round due = 0;   ///< where nodes are in step: the round of the next line; 0: there is none
    Round last = 0;  ///< the round of the last line, once it is known
};

/// A line and a round that the text has said, as one number.
[[nodiscard]] inline std::uint64_t answer_of(const TimetableLine& line, Round round) {
    return ((line.to * 31 + line.packet) * 31 + line.from) * 31 + round;
}

/// A node that goes by a timetable and has something to do in a round.
struct DueNode {
    std::uint32_t node;
    /// The line that waits for its round or a port. Without a target: the next line has not been asked for.
    TimetableLine line{};

    [[nodiscard]] bool has_line() const { return line.to != no_node; }
};

/// What a node that goes by a timetable does in the round at hand, where nodes are in step (World::last_line).
struct LineNow {
    static constexpr std::uint32_t no_partner = no_port;
    std::uint32_t to = no_partner;  ///< by the port `out`
    std::uint32_t from = no_partner;
    std::uint32_t packet = 0;
    Port out = no_port;
};

/// Everything that the partitions share. Slots, bytes and audit records of a node are touched by the task of its
/// partition alone, except in the phases that run on one thread.
struct World : Stage {
    /// `is_attempt`: what serves lawful runs only may be chosen, such as a brief auditor.
    World(const Job& job, const RunOptions& options, bool is_attempt);

    ChosenExecution chosen;
    Attempt attempt;
    Deal deal;
    NodeArray<Claims> claims;  ///< touched where a receiver may be sent more than it takes; with one port where it is
    /// A broadcast of several packets: a message of one of them is its number, and the bytes move from the sender's place to the
    /// receiver's. Until some node sends what it does not hold: from then on what a node has may be wrong and put right again.
    bool packets_by_number;
    /// Whether some node, at any rank, has sent one of several packets that it did not hold: its owner may receive it, and wrong.
    /// Set before anything of that round is received.
    bool has_sent_unheld = false;
    /// All that a node of this run does; null: nodes have programs.
    const Forwarding* forwarding;
    const Splitting* splitting;  ///< the same plan, where nodes pass on parts of what they are sent
    const Timetable* timetable;  ///< the plan instead
    NodeArray<bool> reached;  ///< of `forwarding`: nodes that have what they are sent; their slots are not touched then
    /// The auditor is brief. Competing claims put it in doubt, so they are not counted.
    bool brief;
    Auditor auditor;
    RoundSink rounds;
    FewMessages few;  ///< of a small round
    bool records_asked;
    Order* order;                     ///< null: the nodes of a round run as it comes
    NodeArray<LinesLeft> lines_left;  ///< of nodes that go by a timetable
    bool knows_last_lines;            ///< of all nodes; else each is asked for its own when it begins
    /// The last round of nodes that go by a timetable in step: each does in a round what stands there, and what it sends is received
    /// in that round. 0: they are cursors. The attempt fails where one would wait, or be early or late.
    Round last_line;
    NodeArray<LineNow> lines;               ///< of nodes that are in step
    NodeArray<TimetableCursor> cursors;     ///< of others that go by a timetable
    std::unique_ptr<ExchangeRun> exchange;  ///< all that the nodes of a run do that exchanges values

    /// Whether claims compete where two messages come to one node, and nowhere else.
    [[nodiscard]] bool has_one_port() const { return receive_limit == 1 && job.machine.duplex == Duplex::full; }
    [[nodiscard]] bool has_started(NodeId v) const {
        if (last_line != 0) return true;
        if (forwarding != nullptr) return holds_packet(v);
        return timetable != nullptr ? cursors[v].line() != 0 : slots[v].state() != Slot::State::idle;
    }
    /// Of a broadcast of one packet, whether it has come to the node, or begins there.
    [[nodiscard]] bool holds_packet(NodeId v) const {
        return forwarding != nullptr ? reached[v] : slots[v].holds_bytes();
    }
    /// Whether each node of the partition holds a packet at most once. Its part of the auditor does not know it alone: a node of
    /// another partition may have sent what it did not hold.
    [[nodiscard]] bool held_once(unsigned partition) const { return !has_sent_unheld && auditor.held_once(partition); }
    /// Whether nodes have no programs, but cursors.
    [[nodiscard]] bool keeps_cursors() const { return forwarding != nullptr || timetable != nullptr; }

    /// Whether a node may be sent more in a round than its ports take, where that is counted.
    [[nodiscard]] bool claims_may_compete() const {
        return !brief && (job.machine.duplex == Duplex::half || receive_limit < topology.max_degree());
    }
    /// How many messages of a round it takes at least: a node without receives refuses the first.
    [[nodiscard]] std::size_t fewest_that_compete() const { return receive_limit == 0 ? 1 : 2; }
    /// Whether the attempt has failed, or its auditor is in doubt.
    [[nodiscard]] bool has_failed() const { return attempt.has_failed() || auditor.in_doubt(); }

    /// Memory a node, before anything it holds or does.
    static constexpr std::uint64_t bytes_per_node = sizeof(Slot) + sizeof(Claims) + Auditor::bytes_per_node;
};

}  // namespace kport
