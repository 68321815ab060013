/// @file auditor.hpp   Legality, delivery and cost of a run, judged from the transfers alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "emulator/audit/encounters.hpp"
#include "emulator/audit/ledger.hpp"
#include "emulator/audit/node_records.hpp"
#include "emulator/audit/round_part.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/machine/channel_table.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/machine/metrics.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Judges the transfers of a run, round by round, by every rule of model.md sections 1 and 8. It trusts no engine: it
/// sees sender, receiver, packets, path and round of each transfer, and counts for itself.
///
/// Shards    Each node belongs to a shard. A shard judges what its nodes send and receive; different tasks may use
///           different shards at the same time.
/// Rounds    In each round the shard of a transfer's sender sees the transfer first (sent), then the shard of its
///           receiver (received). On machines with paths one task shows all of them (paths). Then one task closes the round
///           (end_round) and checks that senders, receivers and paths showed the same transfers. Rounds ascend.
/// Counts    are the same for any number of shards and any order of the transfers of a round.
/// Memory    one record a node, first touched when the node sends or receives; the channels of a round by which a node
///           receives more than one message; for operations of many packets a ledger of what each node has sent and holds.
/// Cost      O(path length) a transfer.
///
/// The definitions are split by subject: auditor_sending, auditor_receiving, auditor_channels (with wormhole paths),
/// auditor_rounds and auditor_ending. Functions called for every message are inline here.
class Auditor {
  public:
    /// `listed_max`: the number of violations that the verdict lists; it counts all. With several processes each has an
    /// auditor, which judges the nodes of its `share`; the first one also judges rounds and paths as a whole. `brief`:
    /// keeps only what is needed to see that no rule is broken, see may_be_brief() and in_doubt(). Throws RequestError
    /// if the root is no node, or if the auditor may not be brief.
    Auditor(const Machine& machine, const Collective& collective, unsigned shards, bool keep_rounds,
            std::size_t listed_max = ViolationLog::listed_max, const NodeShare& share = {}, bool is_first = true,
            bool brief = false);

    /// Whether the auditor may be brief: broadcasts of several packets in which a node receives at most one message a
    /// round, and scatters in which a node receives at most one message in all. All rules are checked; what is only
    /// needed to explain a violation (what a node has sent, by which channels it has received) is not kept.
    [[nodiscard]] static bool may_be_brief(const Machine& machine, const Collective& collective);
    /// Whether the brief auditor cannot rule out a violation. Its verdict is then invalid, and the caller must run
    /// again with a full auditor. Any task; a task sees the effect of its own calls at once.
    [[nodiscard]] bool in_doubt() const { return brief_ && ledger_->in_doubt(); }
    /// Broadcasts of several packets: what nodes hold, according to the transfers shown.
    [[nodiscard]] const PacketTable& held_packets() const { return ledger_->held(); }

    /// Judges the sender's side of a transfer: the ports it uses, and whether it holds what it sends.
    template <class AnyTransfer>  // Transfer, Hop or ValueHop
    [[gnu::always_inline]] void sent(unsigned shard, Round round, const AnyTransfer& transfer) {
        Shard& own = shards_[shard];
        NodeRecord& sender = records_[transfer.from];
        own.sent.add(round, transfer);
        if (counts_uses_) [[unlikely]]
            count_send(own, round, view(transfer), sender);
        else if (sender.last_sent == round && limit_ == 1) [[unlikely]]
            judge_sends(own, round, view(transfer));
        else if (sender.last_sent == round)
            further_[transfer.from].add(round);
        sender.last_sent = round;
        if (!allows(transfer)) [[unlikely]] {
            judge_packets(shard, round, view(transfer), fault_of(transfer));
            return;
        }
        if (ledger_) {
            ledger_->sent(shard, round, transfer, own.log);
            return;
        }
        if (promises_nothing(transfer)) return;
        const bool received_before = sender.first_received != 0 && sender.first_received < round;
        if (!received_before && transfer.from != collective_.root) [[unlikely]]
            add(own, Breach::sent_unheld, round, view(transfer));
    }

    /// Judges the receiver's side: the link, the receiver's ports, the channel of a path of one link, NODUP, NOHO. Measures
    /// the message.
    template <class AnyTransfer>  // as sent()
    [[gnu::always_inline]] void received(unsigned shard, Round round, const AnyTransfer& transfer) {
        Shard& own = shards_[shard];
        NodeRecord& receiver = records_[transfer.to];
        const bool allowed = allows(transfer);
        own.received.add(round, transfer);
        measure(own, transfer, allowed);

        Port in = no_port;
        if (hops(transfer) == 1) {
            const LinkEnd end = wires_->across(transfer.from, first_port(transfer));
            in = end.port;
            if (end.node != transfer.to) [[unlikely]]
                in = judge_missing_link(own, round, view(transfer));
        } else if (!has_paths_) [[unlikely]] {
            judge_jump(own, round, view(transfer));
            if (receiver.first_received == 0) first_in_[transfer.to] = FirstIn{no_port};  // it lies on no channel
        }

        if (counts_uses_) [[unlikely]]
            count_receive(own, round, view(transfer), in, receiver);
        else if (receiver.last_received == round && limit_ == 1) [[unlikely]]
            judge_receives(own, round, view(transfer), in);
        if (receiver.last_received == round) [[unlikely]]
            collect_channel(own, round, transfer.to, in);
        else if (receiver.first_received != 0 && !brief_)
            first_in_[transfer.to] = FirstIn{in};
        receiver.last_received = round;

        if (!allowed) [[unlikely]] {
            take_in_distinct(shard, round, view(transfer), fault_of(transfer), in);
            if (receiver.first_received == 0) first_in_[transfer.to] = FirstIn{in};
            if (!ledger_) return;  // the first receive of the packet
        } else if (ledger_) {
            ledger_->received(shard, round, transfer, in, own.log);
        }
        if (ledger_ || promises_nothing(transfer)) {
            own.metrics.reached += receiver.first_received == 0 ? 1 : 0;
            if (receiver.first_received == 0) note_first(receiver, round, transfer.from);
            return;
        }
        if (receiver.first_received == 0) {
            note_first(receiver, round, transfer.from);
            own.metrics.reached += transfer.to != collective_.root ? 1 : 0;
        } else [[unlikely]] {
            judge_duplicate(own, round, view(transfer), in, receiver);
        }
        if (receiver.last_sent != 0) [[unlikely]]
            judge_own_packet(own, round, view(transfer), in, receiver);
    }

    /// Reductions: judges the result of node v by the contributions combined in it, each listed once, and those that it
    /// contains twice. Called by the task of the node's shard.
    void result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions,
                std::span<const PacketBlock> twice = {}) {
        ledger_->result(shard, round, v, contributions, twice, shards_[shard].log);
    }

    /// Barriers: node v's program has ended, so it leaves the barrier. Called by the task of the node's shard.
    void left(unsigned shard, Round round, NodeId v) { ledger_->left(shard, round, v, shards_[shard].log); }

    /// Operations of many packets: whether each of the shard's nodes holds a packet at most once. True as long as no
    /// node receives what it has or has sent, and none sends what it does not hold.
    [[nodiscard]] bool held_once(unsigned shard) const {
        const ViolationLog& log = shards_[shard].log;
        return log.count(Rule::nodup) + log.count(Rule::noho) + log.count(Rule::delivery) == 0;
    }

    /// Whether claims competed in a closed round and all of them moved.
    [[nodiscard]] bool claims_competed() const { return merged_log().tells_of_competition(); }

    /// Prefetches what received() will touch of a node.
    [[gnu::always_inline]] void prefetch(NodeId v) const {
        __builtin_prefetch(&records_[v], 1);
        if (ledger_) ledger_->prefetch(v);
    }
    /// Prefetches what sent() will touch of a node.
    [[gnu::always_inline]] void prefetch_sender(NodeId v) const {
        prefetch(v);
        if (limit_ > 1 && !counts_uses_) __builtin_prefetch(&further_[v], 1);
    }

    /// Machines with paths (Machine::has_paths()): judges all paths of the round; no directed channel may lie on more of
    /// them than it carries messages. One task.
    void paths(Round round, std::span<const Transfer> transfers);

    /// Announces that result() will not be called, as when a schedule is judged without a run. A node that holds all
    /// contributions of its result then counts as having the result.
    void expect_no_results() {
        if (ledger_) ledger_->expect_no_results();
    }

    /// Adds a violation that only the engine can see: a node that waits for ever, a strict violation, a wrong result.
    void report(const Violation& violation);
    /// Adds a violation found after the last round; it is listed with the last round in which anything moved.
    void report_at_end(Violation violation);

    /// Announces `count` rounds from `first` on in which nothing moves because programs let them pass
    /// (Node::next_round). Any other round without a transfer breaks a rule. One task, between rounds.
    void silent(Round first, std::uint64_t count);

    /// First step of end_round(): returns what this auditor saw. The parts of several auditors are added, and each
    /// closes the sum.
    [[nodiscard]] RoundPart take_round(Round round, std::span<const unsigned> shards);
    RoundMetrics close_round(RoundPart& whole);
    /// Closes a round with transfers, and returns its metrics. One task, after all sent() and received() of the round.
    /// `shards`: those that were shown anything, since looking at every shard would dominate the cost of a tiny round.
    RoundMetrics end_round(Round round, std::span<const unsigned> shards);

    /// Metrics of the closed rounds.
    [[nodiscard]] const Metrics& metrics() const { return metrics_; }
    /// Number of nodes that received a packet in the closed rounds.
    [[nodiscard]] std::uint64_t reached() const { return reached_; }

    /// Operations of many packets, after the last round: the promised packets that node v holds according to the
    /// transfers. Their bytes must be at v. Any task.
    [[nodiscard]] PacketBlocks must_hold(NodeId v) const;
    /// Broadcasts of one packet: whether the packet's bytes must be at node v.
    [[nodiscard]] bool must_hold_packet(NodeId v) const {
        if (records_[v].first_received == 0 && v != collective_.root) return false;
        return lacking_.empty() || !lacking_.contains(v);
    }
    /// Adds the result of comparing the bytes at a node. One task.
    void checked(const PayloadCheck& check);
    /// Counts packets or results that were compared; differences have been reported before. One task.
    void compared(std::uint64_t packets, std::uint64_t bytes) {
        compared_packets_ += packets;
        compared_bytes_ += bytes;
    }

    /// The first step of finish() and finish_stopped(). The ends of several auditors are added before the second step.
    struct Ending {
        Verdict verdict;
        ViolationLog log;

        void add(const Ending& other);
        template <class Archive>
        void travel(Archive& archive) {
            archive(verdict.holders, verdict.compared_packets, verdict.compared_bytes, log);
        }
    };
    [[nodiscard]] Ending end(bool stopped);
    [[nodiscard]] Verdict conclude(Ending whole, bool stopped) const;
    /// Returns the verdict after the last round. Finds the nodes that lack what they are promised; for a broadcast in
    /// O(N), and only if there are any.
    [[nodiscard]] Verdict finish() { return conclude(end(false), false); }
    /// The verdict of a run that was stopped: not delivered, but nothing counts as missing, since it might have come. In
    /// operations of many packets `holders` counts only nodes that have sent or received.
    [[nodiscard]] Verdict finish_stopped() { return conclude(end(true), true); }

    /// Memory of a node, for the estimate before a run: the record, and the largest part that a port rule needs.
    static constexpr std::uint64_t bytes_per_node = 32;

  private:
    static_assert(sizeof(NodeRecord) + sizeof(PortUses) + sizeof(FirstIn) == bytes_per_node);
    static_assert(sizeof(FurtherSends) == sizeof(PortUses));

    struct alignas(64) Shard : RoundSums {
        ViolationLog log;
        Hops last_hops = 0;
        std::uint64_t last_bytes = 0;
        Encounters encounters;                ///< of this round: half duplex links, pairwise machines
        std::vector<std::uint64_t> channels;  ///< of this round: the channels into nodes that receive several messages
        std::vector<NodeId> by_no_channel;    ///< such nodes, once for each message that came by no channel
        std::vector<LinkEnd> suspects;  ///< senders that used a channel that was taken or does not exist, and the port

        /// Whether only the round's sums are left to be judged.
        [[nodiscard]] bool is_plain() const { return channels.empty() && by_no_channel.empty() && suspects.empty(); }
        void restart() {
            // Cleared part by part: g++ clears the whole by a string instruction, which costs a round of one message a
            // tenth of its time.
            metrics = {};
            sent = {};
            received = {};
            last_hops = 0;
            last_bytes = 0;
        }
    };

    // One overload for each kind of transfer. A Hop answers with constants, so it costs nothing.
    static Hops hops(const Transfer& transfer) { return transfer.route.size(); }
    static Hops hops(const Hop&) { return 1; }
    static Hops hops(const ValueHop&) { return 1; }
    static Port first_port(const Transfer& transfer) {
        return transfer.route.empty() ? no_port : transfer.route.front();
    }
    static Port first_port(const Hop& hop) { return hop.port; }
    static Port first_port(const ValueHop& hop) { return hop.port; }
    [[nodiscard]] double latency_of(const Transfer& transfer, std::uint64_t bytes) const {
        return machine_.latency(transfer.from, transfer.route, bytes);
    }
    template <class AnyHop>  // Hop or ValueHop
    [[nodiscard]] double latency_of(const AnyHop& hop, std::uint64_t bytes) const {
        return machine_.latency(hop.from, std::span(&hop.port, 1), bytes);
    }
    static const Transfer& view(const Transfer& transfer) { return transfer; }
    static HopTransfer view(const Hop& hop) { return HopTransfer(hop); }
    static HopTransfer view(const ValueHop& hop) { return HopTransfer(hop); }
    /// Returns the size of a message in packets.
    [[nodiscard]] std::uint64_t packets(const Transfer& transfer) const {
        return reduces_ ? values_in(transfer.packets, collective_, segments_) : size_of(transfer.packets);
    }
    static std::uint64_t packets(const Hop&) { return 1; }
    [[nodiscard]] std::uint64_t packets(const ValueHop& hop) const {
        return hop.contributions.stride == 1 && hop.around == 0 ? 1 : packets(view(hop));
    }
    [[nodiscard]] std::uint64_t sized_bytes_of(const Transfer& transfer) const {
        return bytes_in(transfer.packets, collective_, segments_);
    }
    template <class AnyTransfer>
    [[nodiscard]] std::uint64_t bytes_of(const AnyTransfer& transfer) const {
        if (sizes_differ_) [[unlikely]]
            return sized_bytes_of(view(transfer));
        return packets(transfer) * collective_.packet_bytes;
    }
    /// Only packets move as hops, and only values of reductions as value hops.
    [[nodiscard]] bool promises_nothing(const Transfer&) const { return !promises_; }
    static bool promises_nothing(const Hop&) { return false; }
    static bool promises_nothing(const ValueHop&) { return false; }
    [[nodiscard]] bool allows(const Transfer& transfer) const { return space_.allows(transfer.packets); }
    [[nodiscard]] bool allows(const Hop& hop) const { return space_.allows(hop.packet); }
    [[nodiscard]] bool allows(const ValueHop& hop) const {
        const FewBlocks few = hop.blocks();
        return space_.allows(few.blocks());
    }
    [[nodiscard]] PacketSpace::Finding fault_of(const Transfer& transfer) const {
        return space_.fault_of(transfer.packets);
    }
    [[nodiscard]] PacketSpace::Finding fault_of(const Hop& hop) const { return space_.fault_of(hop.packet); }
    [[nodiscard]] PacketSpace::Finding fault_of(const ValueHop& hop) const { return fault_of(view(hop)); }

    static void note_first(NodeRecord& receiver, Round round, NodeId from) {
        receiver.first_received = round;
        receiver.first_from = static_cast<std::uint32_t>(from);
    }

    template <class AnyTransfer>
    void measure(Shard& own, const AnyTransfer& transfer, bool allowed) {
        RoundMetrics& round = own.metrics;
        const Hops length = hops(transfer);
        const std::uint64_t bytes = allowed ? bytes_of(transfer) : 0;
        round.hops += length;
        round.bytes += bytes;
        // Most messages of a round are like the one before; only another size or length, or other links, can be slower.
        if (length != own.last_hops || bytes != own.last_bytes) [[unlikely]] {
            own.last_hops = machine_.prices == nullptr ? length : ~Hops{0};
            own.last_bytes = bytes;
            round.longest_path = std::max(round.longest_path, length);
            round.largest_bundle = std::max(round.largest_bundle, bytes);
            round.slowest = std::max(round.slowest, latency_of(transfer, bytes));
        }
    }

    [[nodiscard]] Violation violation(Breach breach, Round round, NodeId node, const Transfer& transfer) const;
    void add(Shard& own, Breach breach, Round round, const Transfer& transfer) const;

    // Sending.
    /// Reports packets that form no valid set of the operation. A packet that occurs twice in a message moves once; a
    /// packet that does not exist does not move.
    void judge_packets(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why);
    void judge_sends(Shard& own, Round round, const Transfer& transfer) const;
    void count_send(Shard& own, Round round, const Transfer& transfer, const NodeRecord& sender);

    // Receiving.
    void take_in_distinct(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why,
                          Port in);
    void judge_receives(Shard& own, Round round, const Transfer& transfer, Port in) const;
    void count_receive(Shard& own, Round round, const Transfer& transfer, Port in, const NodeRecord& receiver);
    /// Records that two nodes meet, and over which link if the path is a single one.
    void note_encounter(Shard& own, const Transfer& transfer);
    Port judge_missing_link(Shard& own, Round round, const Transfer& transfer) const;
    void judge_jump(Shard& own, Round round, const Transfer& transfer) const;
    void suspect(Shard& own, const Transfer& transfer) const;
    void collect_channel(Shard& own, Round round, NodeId receiver, Port in);
    void judge_duplicate(Shard& own, Round round, const Transfer& transfer, Port in, NodeRecord& receiver) const;
    void judge_own_packet(Shard& own, Round round, const Transfer& transfer, Port in, const NodeRecord& receiver) const;
    [[nodiscard]] Port arrived_by(const Transfer& transfer, Port in) const;

    // Channels and paths.
    /// Whether the port limit can only be exceeded where the channel rule is broken too, as with all ports: every port
    /// has its own channel.
    [[nodiscard]] bool channels_are_the_limit() const { return !counts_uses_ && limit_ > 1; }
    void judge_channels(Shard& own, Round round) const;
    void judge_receives_by_channels(Shard& own, Round round) const;
    void judge_suspects(Round round, std::vector<LinkEnd>& suspects);
    [[nodiscard]] bool visits_twice(const Transfer& transfer) const;
    void note_links(const Transfer& transfer);
    [[nodiscard]] bool judge_channel(Round round, NodeId v, Port port, NodeId sender);
    /// Two senders whose messages cross one channel in a round.
    void note_shared_channel(Round round, NodeId v, Port port, NodeId one, NodeId other);
    void judge_ports_of_paths(Round round, std::span<const Transfer> transfers);

    // Paths in a fabric: over trunks, through switches.
    void paths_in_fabric(Round round, std::span<const Transfer> transfers);
    [[nodiscard]] NodeId judge_path_in_fabric(Round round, const Transfer& transfer);
    void judge_trunk(Round round, NodeId v, Port port, NodeId sender);

    // Closing a round.
    void tell_of_round(const Violation& violation) {
        if (is_first_) log_.add(violation);
    }
    void require_countable(const RoundMetrics& round) const;
    RoundMetrics close_sums(const RoundSums& sums);
    void judge_shown(const RoundSums& sums);
    void judge_sides(Round round, const Shown& sent, const Shown& received);
    void judge_silence(Round round);

    // Ending.
    /// Returns the part of a verdict that does not depend on whether the run ended.
    [[nodiscard]] Verdict begin_verdict();
    /// Reports transfers that belong to no closed round.
    void judge_late();
    void find_missing(ViolationLog& log) const;
    /// Removes from the holders the nodes that lost what the transfers brought them.
    void take_away_lacking(Verdict& verdict) const;
    [[nodiscard]] ViolationLog merged_log() const;
    void complete(Violation& violation) const;

    Machine machine_;
    const Topology* topology_;
    const Topology* wires_;  ///< the links that messages take
    bool has_paths_;         ///< of several links
    Collective collective_;
    PacketSpace space_;
    bool promises_;
    bool reduces_;
    std::uint64_t segments_;  ///< of a reduction's vector; else 1
    bool sizes_differ_;
    /// null for a broadcast of one packet, and where nothing is promised: the records suffice
    std::unique_ptr<Ledger> ledger_;
    Port limit_;  ///< k; no_port: all ports; of two limits, which counts_uses_ counts, the lower
    bool half_duplex_;
    /// Whether the machine has a rule that needs more than the records: uses of ports, meetings, first sends. With one full
    /// duplex port the round of the last use says it all, with all ports the channel rule does.
    bool counts_uses_;
    bool brief_;
    bool keep_rounds_;
    NodeShare share_;
    bool is_first_;
    NodeArray<NodeRecord> records_;
    NodeArray<PortUses> uses_;
    NodeArray<FurtherSends> further_;
    NodeArray<FirstIn> first_in_;
    NodeArray<Round> first_sent_;  ///< strict NOHO, one packet: the round of a node's first send; 0: none
    ChannelTable channels_;        ///< machines with paths: the channels of the round
    std::vector<Shard> shards_;
    Shown paths_;
    ViolationLog log_;
    Metrics metrics_;
    Round closed_ = 0;                         ///< the last round that was closed
    std::vector<Silence> silent_;              ///< told since that round
    std::map<NodeId, std::uint64_t> lacking_;  ///< how many promised packets came to a node and are lost
    std::uint64_t compared_packets_ = 0;
    std::uint64_t compared_bytes_ = 0;
    std::uint64_t reached_ = 0;
    std::vector<RoundMetrics> per_round_;
};

}  // namespace kport
