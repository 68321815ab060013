/// @file auditor.hpp   Legality, delivery and cost of a run, judged from the transfers alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "emulator/audit/encounters.hpp"
#include "emulator/audit/ledger.hpp"
#include "emulator/audit/metrics.hpp"
#include "emulator/audit/node_records.hpp"
#include "emulator/audit/shown.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/machine/channel_table.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/promise.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Judges a stream of transfers online against every rule of model.md sections 1 and 8. It trusts nothing that an engine
/// says about legality: it sees sender, receiver, packets, path and round, and counts for itself.
///
/// Shards    The nodes are divided among shards; a shard judges what its own nodes send and receive, and different tasks
///           may use different shards at the same time. In a round, first each transfer of it is shown once to the shard
///           of its sender (sent), then once to the shard of its receiver (received); wormhole paths are shown to
///           paths() by one task. end_round() by one task closes the round, which tells whether all have shown the same
///           transfers. Rounds must not go back.
/// Counts    do not depend on the number of shards or on the order of transfers within a round.
/// Memory    one record a node, touched when the node first sends or receives; a set a round of the channels by which a
///           node received more than one message; for operations of many packets a ledger of what was sent and received.
/// Cost      O(path length) a transfer.
class Auditor {
  public:
    Auditor(const Machine& machine, const Promise& promise, unsigned shards, bool keep_rounds);

    /// The sender's side of a transfer: its ports, and whether it holds what it sends.
    template <class AnyTransfer>  // Transfer or Hop
    void sent(unsigned shard, Round round, const AnyTransfer& transfer) {
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
            ledger_->sent(shard, round, view(transfer), own.log);
            return;
        }
        if (promises_nothing(transfer)) return;
        const bool received_before = sender.first_received != 0 && sender.first_received < round;
        if (!received_before && transfer.from != promise_.source) [[unlikely]]
            add(own, Breach::sent_unheld, round, view(transfer));
    }

    /// The receiver's side: the link, its ports, the channel (one link paths), NODUP, NOHO, what the message cost.
    template <class AnyTransfer>  // Transfer or Hop
    void received(unsigned shard, Round round, const AnyTransfer& transfer) {
        Shard& own = shards_[shard];
        NodeRecord& receiver = records_[transfer.to];
        const bool allowed = allows(transfer);
        own.received.add(round, transfer);
        measure(own, transfer, allowed);

        Port in = no_port;
        if (hops(transfer) == 1) {
            const LinkEnd end = topology_->across(transfer.from, first_port(transfer));
            in = end.port;
            if (end.node != transfer.to) [[unlikely]]
                in = judge_missing_link(own, round, view(transfer));
        } else if (machine_.switching == Switching::store_and_forward) [[unlikely]] {
            judge_jump(own, round, view(transfer));
            if (receiver.first_received == 0) first_in_[transfer.to] = FirstIn{no_port};  // it lies on no channel
        }

        if (counts_uses_) [[unlikely]]
            count_receive(own, round, view(transfer), in, receiver);
        else if (receiver.last_received == round && limit_ == 1) [[unlikely]]
            judge_receives(own, round, view(transfer), in);
        if (receiver.last_received == round) [[unlikely]]
            collect_channel(own, round, transfer.to, in);
        else if (receiver.first_received != 0)
            first_in_[transfer.to] = FirstIn{in};
        receiver.last_received = round;

        if (!allowed) [[unlikely]] {
            take_in_distinct(shard, round, view(transfer), fault_of(transfer), in);
            if (receiver.first_received == 0) first_in_[transfer.to] = FirstIn{in};
            if (!ledger_) return;  // nobody has received the packet
        } else if (ledger_) {
            ledger_->received(shard, round, view(transfer), in, own.log);
        }
        if (ledger_ || promises_nothing(transfer)) {
            own.round.reached += receiver.first_received == 0 ? 1 : 0;
            if (receiver.first_received == 0) note_first(receiver, round, transfer.from);
            return;
        }
        if (receiver.first_received == 0) {
            note_first(receiver, round, transfer.from);
            own.round.reached += transfer.to != promise_.source ? 1 : 0;
        } else [[unlikely]] {
            judge_duplicate(own, round, view(transfer), in, receiver);
        }
        if (receiver.last_sent != 0) [[unlikely]]
            judge_own_packet(own, round, view(transfer), in, receiver);
    }

    /// The result that a node gives (reductions): which contributions it sums up. By the task of the node's shard.
    void result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions) {
        ledger_->result(shard, round, v, contributions, shards_[shard].log);
    }

    /// Operations of many packets: whether the shard's nodes hold each packet once, as they do while nobody receives what
    /// it has, sends what it has not, or gets back what it sent.
    [[nodiscard]] bool held_once(unsigned shard) const {
        const ViolationLog& log = shards_[shard].log;
        return log.count(Rule::nodup) + log.count(Rule::noho) + log.count(Rule::delivery) == 0;
    }

    /// Whether claims competed in a round that is closed, and all of them moved.
    [[nodiscard]] bool claims_competed() const { return merged_log().tells_of_competition(); }

    /// Fetches what sent() or received() will touch of a node: a hint for callers that know who comes next.
    void prefetch(NodeId v) const {
        __builtin_prefetch(&records_[v], 1);
        if (ledger_) ledger_->prefetch(v);
    }

    /// Wormhole machines: all paths of the round at once; no directed channel may lie on two of them.
    void paths(Round round, const std::vector<Transfer>& transfers);

    /// A schedule alone tells no results of a reduction: whoever has all contributions of its result has the result.
    void expect_no_results() {
        if (ledger_) ledger_->expect_no_results();
    }

    /// Something that only the engine can know: a node that waits for ever, a strict violation, a result that differs.
    void report(const Violation& violation);
    /// The same of what shows when all is over: it is told with the last round in which anything moved.
    void report_at_end(Violation violation);

    /// Nothing moves in `count` rounds from `first` on, because programs let them pass on purpose (Node::next_round). One
    /// task, between rounds. Rounds without a transfer of which nobody says so break a rule.
    void silent(Round first, std::uint64_t count);

    /// Closes a round with transfers; one task, after all sent() and received() of it. `shards`: those that were shown
    /// anything; a machine of many shards and a million tiny rounds cannot afford to look at all. Returns the round's metrics.
    RoundMetrics end_round(Round round, std::span<const unsigned> shards);

    /// Operations of many packets, after the last round: what node v holds of what it is promised, as the transfers say. Its bytes must be there. Any
    /// task.
    [[nodiscard]] PacketBlocks must_hold(NodeId v) const;
    /// The same of a broadcast, which has one packet.
    [[nodiscard]] bool must_hold_packet(NodeId v) const {
        if (records_[v].first_received == 0 && v != promise_.source) return false;
        return lacking_.empty() || !lacking_.contains(v);
    }
    /// The bytes at a node were compared. One task.
    void checked(const PayloadCheck& check);
    /// Packets or results were compared, so many, and found equal or reported. One task.
    void compared(std::uint64_t packets, std::uint64_t bytes) {
        compared_packets_ += packets;
        compared_bytes_ += bytes;
    }

    /// After the last round: finds the nodes without the packet. O(N) memory reads only if somebody lacks it.
    [[nodiscard]] Verdict finish();
    /// After the last round of a run that was stopped: what has not come yet is not missing, and nobody looks for it. Not
    /// delivered; of many packets `holders` counts the nodes that took part.
    [[nodiscard]] Verdict finish_stopped();

    /// Bytes of memory for each node, for the estimate before a run: the record, and at most what the port rule needs.
    static constexpr std::uint64_t bytes_per_node = 32;

  private:
    static_assert(sizeof(NodeRecord) + sizeof(PortUses) + sizeof(FirstIn) == bytes_per_node);
    static_assert(sizeof(FurtherSends) == sizeof(PortUses));

    struct alignas(64) Shard {
        RoundMetrics round;
        Shown sent;
        Shown received;
        ViolationLog log;
        Hops last_hops = 0;
        std::uint64_t last_bytes = 0;
        Encounters encounters;                ///< half duplex links, pairwise machines: of this round
        std::vector<std::uint64_t> channels;  ///< by which nodes with several receives received, this round
        std::vector<NodeId> by_no_channel;    ///< nodes with several receives, once for each that came by no channel
        std::vector<LinkEnd> suspects;  ///< nodes that sent by a channel that was taken or is not there, and the port
    };

    // What the two kinds of transfer answer: a hop with constants, so that the compiler leaves no trace of the question.
    static Hops hops(const Transfer& transfer) { return transfer.route.size(); }
    static Hops hops(const Hop&) { return 1; }
    static Port first_port(const Transfer& transfer) {
        return transfer.route.empty() ? no_port : transfer.route.front();
    }
    static Port first_port(const Hop& hop) { return hop.port; }
    static const Transfer& view(const Transfer& transfer) { return transfer; }
    static HopTransfer view(const Hop& hop) { return HopTransfer(hop); }
    /// Packets that a message has the size of: a partial result is one, whatever it sums up.
    [[nodiscard]] std::uint64_t packets(const Transfer& transfer) const {
        return reduces_ ? 1 : size_of(transfer.packets);
    }
    static std::uint64_t packets(const Hop&) { return 1; }
    /// A hop is of a broadcast.
    [[nodiscard]] bool promises_nothing(const Transfer&) const { return promise_.operation == Operation::none; }
    static bool promises_nothing(const Hop&) { return false; }
    [[nodiscard]] bool allows(const Transfer& transfer) const { return space_.allows(transfer.packets); }
    [[nodiscard]] bool allows(const Hop& hop) const { return space_.allows(hop.packet); }
    [[nodiscard]] PacketSpace::Finding fault_of(const Transfer& transfer) const {
        return space_.fault_of(transfer.packets);
    }
    [[nodiscard]] PacketSpace::Finding fault_of(const Hop& hop) const { return space_.fault_of(hop.packet); }

    static void note_first(NodeRecord& receiver, Round round, NodeId from) {
        receiver.first_received = round;
        receiver.first_from = static_cast<std::uint32_t>(from);
    }

    template <class AnyTransfer>
    void measure(Shard& own, const AnyTransfer& transfer, bool allowed) {
        RoundMetrics& round = own.round;
        const Hops length = hops(transfer);
        const std::uint64_t bytes = allowed ? packets(transfer) * promise_.packet_bytes : 0;
        ++round.transfers;
        round.hops += length;
        round.bytes += bytes;
        // Most messages of a round are like the one before; only another size or length can be slower.
        if (length != own.last_hops || bytes != own.last_bytes) [[unlikely]] {
            own.last_hops = length;
            own.last_bytes = bytes;
            round.longest_path = std::max(round.longest_path, length);
            round.largest_bundle = std::max(round.largest_bundle, bytes);
            round.slowest = std::max(round.slowest, machine_.costs.latency(length, bytes));
        }
    }

    [[nodiscard]] Violation violation(Breach breach, Round round, NodeId node, const Transfer& transfer) const;
    void add(Shard& own, Breach breach, Round round, const Transfer& transfer) const;
    void judge_sends(Shard& own, Round round, const Transfer& transfer) const;
    /// The packets are no set of the operation's: told of the sender. Of a packet that occurs twice one moves; a packet
    /// that does not exist does not move.
    void judge_packets(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why);
    void take_in_distinct(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why,
                          Port in);
    void count_send(Shard& own, Round round, const Transfer& transfer, const NodeRecord& sender);
    void count_receive(Shard& own, Round round, const Transfer& transfer, Port in, const NodeRecord& receiver);
    Port judge_missing_link(Shard& own, Round round, const Transfer& transfer) const;
    void judge_jump(Shard& own, Round round, const Transfer& transfer) const;
    void suspect(Shard& own, const Transfer& transfer) const;
    void collect_channel(Shard& own, Round round, NodeId receiver, Port in);
    void judge_receives(Shard& own, Round round, const Transfer& transfer, Port in) const;
    void judge_duplicate(Shard& own, Round round, const Transfer& transfer, Port in, NodeRecord& receiver) const;
    void judge_own_packet(Shard& own, Round round, const Transfer& transfer, Port in, const NodeRecord& receiver) const;
    [[nodiscard]] Port arrived_by(const Transfer& transfer, Port in) const;
    [[nodiscard]] bool visits_twice(const Transfer& transfer) const;
    void judge_channels(Shard& own, Round round) const;
    /// Collects whom the message brings together, and over which link where it takes a single one.
    void note_encounter(Shard& own, const Transfer& transfer);
    void note_links(const Transfer& transfer);
    void judge_encounters(Round round, std::span<const unsigned> shards);
    [[nodiscard]] bool judge_channel(Round round, NodeId v, Port port, NodeId sender);
    void judge_receives_by_channels(Shard& own, Round round) const;
    void judge_suspects(Round round, std::vector<LinkEnd>& suspects);
    void judge_ports_of_paths(Round round, const std::vector<Transfer>& transfers);
    void require_countable(const RoundMetrics& round) const;
    void judge_shown(Round round, const Shown& sent, const Shown& received);
    void judge_silence(Round round);
    /// All of them are the channel rule's, which implies the limit where nothing breaks it.
    [[nodiscard]] bool channels_are_the_limit() const { return !counts_uses_ && limit_ > 1; }
    void find_missing(ViolationLog& log) const;
    /// Takes those from the holders that lack what the transfers brought them.
    void take_away_lacking(Verdict& verdict) const;
    /// What a verdict says whether or not the run came to its end: before and after it is known what is missing.
    [[nodiscard]] Verdict begin_verdict();
    /// What was shown and belongs to no round that was closed.
    void judge_late();
    [[nodiscard]] ViolationLog merged_log() const;
    void fill(Verdict& verdict, const ViolationLog& log) const;

    Machine machine_;
    const Topology* topology_;
    Promise promise_;
    PacketSpace space_;
    bool reduces_;
    std::unique_ptr<Ledger>
        ledger_;  ///< null: one packet, of which the records of the nodes say all; or nothing is promised
    Port limit_;  ///< k; no_port for all-port, where the channel rule is the limit
    bool half_duplex_;
    /// Whether the uses of ports must be counted, or more than them: with one full duplex port the round of the last use says
    /// it all, and with all ports the channel rule does. True on machines with a rule that the records alone cannot judge.
    bool counts_uses_;
    bool keep_rounds_;
    HugeArray<NodeRecord> records_;
    HugeArray<PortUses> uses_;
    HugeArray<FurtherSends> further_;
    HugeArray<FirstIn> first_in_;
    HugeArray<Round> first_sent_;  ///< strict NOHO, one packet: the round of a node's first send; 0: none
    ChannelTable channels_;        ///< wormhole machines: the channels of the round
    std::vector<Shard> shards_;
    Shown paths_;
    ViolationLog log_;
    Metrics metrics_;
    Round closed_ = 0;                         ///< the last round that was closed
    std::vector<Silence> silent_;              ///< told since then
    std::map<NodeId, std::uint64_t> lacking_;  ///< promised packets that came to a node, and that it does not have
    std::uint64_t compared_packets_ = 0;
    std::uint64_t compared_bytes_ = 0;
    std::uint64_t reached_ = 0;
    std::vector<RoundMetrics> per_round_;
};

}  // namespace kport
