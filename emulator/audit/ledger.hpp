/// @file ledger.hpp   Which packets every node holds and has sent: the books of operations that move many packets.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/audit/arc.hpp"
#include "emulator/audit/came_runs.hpp"
#include "emulator/audit/doubling.hpp"
#include "emulator/audit/gathered_results.hpp"
#include "emulator/audit/segment_books.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/packet_table.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Judges holding, NODUP, NOHO, combining and delivery for operations with many packets, and for reductions, whose
/// packets are contributions. Sets are blocks (PacketBlock), so memory and time grow with the messages and not with the
/// packets in them.
///
/// For reductions it records which contributions came together: they were combined into one value that cannot be taken
/// apart (model.md section 1, contributions); with Collective::in_runs each run is a value, or each contribution (Collective::unfolded). Each segment has a record
/// of its own; segments with equal records share one (SegmentBooks).
///
/// Shards    as in an Auditor: different tasks may use different shards at the same time, and a node belongs to one
///           shard. In a round all calls of sent() for a shard come before its calls of received().
/// Transfers carry valid sets of the operation's packets (PacketSpace); the auditor checks that before it passes them
/// on.
/// Reports   one violation a message and rule, with its lowest packet.
/// Memory    a word a node; about 80 bytes for each node that sends or receives, and its sets beyond one block.
///           Where all nodes get the same several packets: two bits for each node and packet, one if brief.
///           Brief scatters: 12 bytes a node.
///           Reductions: 16 bytes for each received block; only the word while every value doubles what its node holds.
///           With several segments this is for each group with equal or evenly advancing records (SegmentBooks); a
///           group takes 56 bytes while its contributions are an Arc that came as one value or by doubling.
class Ledger {
  public:
    /// For the nodes of a share; by default for all nodes. `brief` as in Auditor: keeps what nodes hold in a broadcast
    /// of several packets, and what came to them in a scatter.
    Ledger(const Machine& machine, const Collective& collective, unsigned shards, const NodeShare& share = {},
           bool brief = false);

    /// Prefetches what sent() or received() will touch of a node.
    [[gnu::always_inline]] void prefetch(NodeId v) const {
        if (!held_bits_.of_none()) {
            held_bits_.prefetch(v);
            if (!brief_) sent_bits_.prefetch(v);
            return;
        }
        if (!came_once_.empty()) {
            __builtin_prefetch(&came_once_[v], 1);
            return;
        }
        if (segments_ > 1) {
            if (const Vector* own = vectors_[v]) own->segments.prefetch();
            return;
        }
        const Books* own = books_[v].elsewhere();
        if (own == nullptr) return;
        __builtin_prefetch(own, 1);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(own) + 64, 1);
    }

    void sent(unsigned shard, Round round, const Transfer& transfer, ViolationLog& log);
    void received(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log);
    void sent(unsigned shard, Round round, const Hop& hop, ViolationLog& log) {
        if (!sends_as_a_bit(hop.from, hop.packet)) sent(shard, round, HopTransfer(hop), log);
    }
    void received(unsigned shard, Round round, const Hop& hop, Port in, ViolationLog& log) {
        if (!receives_as_a_bit(shard, hop.to, hop.packet)) received(shard, round, HopTransfer(hop), in, log);
    }
    void sent(unsigned shard, Round round, const ValueHop& hop, ViolationLog& log) {
        if (doubles_ && sends_doubled(hop.from, hop.contributions)) [[likely]]
            return;
        if (segments_ > 1 && sends_at_once(shard, hop.from, {hop.segment}, arc_of(hop, nodes_in_arcs()))) [[likely]]
            return;
        sent(shard, round, HopTransfer(hop), log);
    }
    void received(unsigned shard, Round round, const ValueHop& hop, Port in, ViolationLog& log) {
        if (doubles_ && receives_doubling(shard, hop.to, hop.contributions)) [[likely]]
            return;
        if (segments_ > 1 && receives_at_once(shard, hop.to, {hop.segment}, arc_of(hop, nodes_in_arcs()))) [[likely]]
            return;
        received(shard, round, HopTransfer(hop), in, log);
    }
    void result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions,
                std::span<const PacketBlock> twice, ViolationLog& log);

    /// Node v leaves a barrier.
    void left(unsigned shard, Round round, NodeId v, ViolationLog& log);

    /// Sets in_doubt(): the brief records cannot rule out a violation. Any task.
    void doubt() { in_doubt_.store(true, std::memory_order_relaxed); }  // nothing else is handed over with the flag
    [[nodiscard]] bool in_doubt() const { return in_doubt_.load(std::memory_order_relaxed); }
    /// Broadcasts of several packets: what nodes hold, according to the transfers.
    [[nodiscard]] const PacketTable& held() const { return held_bits_; }

    /// Results are not reported; a node counts as done once it holds all contributions.
    void expect_no_results() { results_told_ = false; }

    /// Reports what is missing after the last round. Returns how many nodes hold what they are promised, and how many
    /// should (Verdict).
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> finish(Round last, ViolationLog& log);
    /// Returns both numbers for a run that was stopped, counting nodes that sent or received; nothing counts as missing
    /// yet. `anything_moved`: in the closed rounds.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> so_far(bool anything_moved) const;
    /// Whether a node holds all that it is promised, and its reported result, if any, is right.
    [[nodiscard]] bool satisfied_so_far(NodeId v) const;
    /// Returns the promised packets that node v holds.
    [[nodiscard]] PacketBlocks held_as_promised(NodeId v) const;

  private:
    enum class Result : std::uint8_t { none, wrong, right };
    /// Contributions that came to a node in one value, or one block of them; a list from the last value to the first.
    struct Came {
        static constexpr std::uint32_t none = (std::uint32_t{1} << 31) - 1;
        Progression contributions;
        std::uint32_t before : 31;  ///< index of the one received before; none: it is the first
        bool begins : 1;            ///< it is its value's first block
    };
    /// Parts that few nodes need.
    struct Rare {
        /// Packets received although the node had them from the start or had made them. All others that it holds were
        /// received.
        PacketSet came_home;
        /// Strict NOHO: what the node has sent in its last round with a send; Books::sent holds the rounds before that one.
        Round last_sent_in = 0;
        PacketSet last_sent;
        /// Used for a node that received many values and often sends sums of some; covers its list up to
        /// `came_runs_end`.
        CameRuns came_runs;
        std::uint32_t long_looks = 0;  ///< how often it was asked
        std::uint32_t came_runs_end = Came::none;
    };
    /// The record of a node, or of some segments of a node in a vector reduction; contributions are in row 0.
    struct Books {
        PacketSet held;  ///< owned or received
        PacketSet sent;
        std::unique_ptr<Rare> rare_or_null;
        std::uint32_t last_came = Came::none;
        std::uint16_t shard = 0;
        Result result = Result::none;
        /// Reductions: `held` is a range that grew from the node's own contribution, always by a neighbouring range of
        /// its own size. Its halves say what was received (for_each_doubling()), so no list is kept.
        bool doubled : 1 = true;
        /// Everything but the node's own contribution came as one value, which is in no list either.
        bool came_at_once : 1 = false;
        // A reduction's result as a packet (result_packet()) is in none of the sets: a bit each.
        bool has_result : 1 = false;
        bool made_result : 1 = false;  ///< it has the result because it made it
        bool sent_result : 1 = false;  ///< strict NOHO: Rare::last_sent and `sent` decide

        Books() = default;
        Books(const Books& other)
            : held(other.held), sent(other.sent),
              rare_or_null(other.rare_or_null ? std::make_unique<Rare>(*other.rare_or_null) : nullptr),
              last_came(other.last_came), shard(other.shard), result(other.result), doubled(other.doubled),
              came_at_once(other.came_at_once), has_result(other.has_result), made_result(other.made_result),
              sent_result(other.sent_result) {}
        Books(Books&&) = default;
        Books& operator=(Books&&) = default;
        Books& operator=(const Books&) = delete;
        ~Books() = default;

        [[nodiscard]] Rare& rare() {
            if (!rare_or_null) rare_or_null = std::make_unique<Rare>();
            return *rare_or_null;
        }
    };
    static_assert(sizeof(Books) <= 80);
    /// The record of some segments as long as all that came, with the node's own contribution, is an Arc that came by
    /// doubling or at once, and only all of it, or the result, is sent.
    struct ArcBooks {
        Arc held;
        Arc sent;
        std::unique_ptr<Books> books_or_null;  ///< replaces the other members once that no longer holds
        /// Difference between the `held` of one block of segments and the next (SegmentBooks); of `sent`, too, if equal
        /// to `held`.
        Arc advance{0, 0};
        bool doubled : 1 = false;  ///< to more than two; below that both are the same
        bool has_result : 1 = false;
        bool made_result : 1 = false;
        bool sent_result : 1 = false;

        explicit ArcBooks(NodeId v) : held{static_cast<std::uint32_t>(v), 1} {}
        ArcBooks(const ArcBooks& other)
            : held(other.held), sent(other.sent),
              books_or_null(other.books_or_null ? std::make_unique<Books>(*other.books_or_null) : nullptr),
              advance(other.advance), doubled(other.doubled), has_result(other.has_result),
              made_result(other.made_result), sent_result(other.sent_result) {}
        ArcBooks(ArcBooks&&) = default;
        ArcBooks& operator=(ArcBooks&&) = default;
        ArcBooks& operator=(const ArcBooks&) = delete;
        ~ArcBooks() = default;

        /// Whether each received value doubled what was held.
        [[nodiscard]] bool only_doubled(std::uint32_t nodes) const {
            return doubled || held.count == 1 || (held.count == 2 && held.first + 1 != nodes);
        }
        // Required by SegmentBooks.
        [[nodiscard]] bool operator==(const ArcBooks& other) const {
            return goes_with(other) && held == other.held && sent == other.sent && advance == other.advance;
        }
        [[nodiscard]] bool advances() const { return advance != Arc{0, 0}; }
        /// Most received packets are forwarded in the next round.
        [[nodiscard]] bool is_settled() const { return sent.count != 0 || has_result; }
        [[nodiscard]] ArcBooks part(std::uint32_t first, std::uint32_t count) const {
            ArcBooks some = *this;
            some.held = held + advance * first;
            if (sent.count != 0) some.sent = some.held;
            if (count == 1) some.advance = {0, 0};
            return some;
        }
        [[nodiscard]] bool take_next(std::uint32_t blocks, const ArcBooks& next, std::uint32_t next_blocks) {
            if (!goes_with(next) || (sent.count != 0) != (next.sent.count != 0)) return false;
            if (sent.count != 0 && (sent != held || next.sent != next.held)) return false;
            const Arc step = blocks > 1 ? advance : next_blocks > 1 ? next.advance : next.held - held;
            if (held + step * blocks != next.held || (next_blocks > 1 && next.advance != step)) return false;
            advance = step;
            return true;
        }

      private:
        [[nodiscard]] bool goes_with(const ArcBooks& other) const {
            return !books_or_null && !other.books_or_null && doubled == other.doubled &&
                   has_result == other.has_result && made_result == other.made_result &&
                   sent_result == other.sent_result;
        }
    };
    static_assert(sizeof(ArcBooks) <= 40);
    /// The record of a node with several segments.
    struct Vector {
        SegmentBooks<ArcBooks> segments;
        GatheredResults results;
        Result result = Result::none;

        /// Moves all results to the records of the segments, for the rest of the run.
        void note_results() {
            const auto note = [](auto& own, bool sent) {
                own.has_result = true;
                own.sent_result |= sent;
            };
            results.tell([&](const Progression& some, bool sent) {
                segments.for_each(some, [&](const Progression&, ArcBooks& arcs) {
                    arcs.books_or_null ? note(*arcs.books_or_null, sent) : note(arcs, sent);
                    return true;
                });
            });
        }
    };
    class Findings;

    [[nodiscard]] Books& books(unsigned shard, NodeId v) {
        Books* own = books_[v].elsewhere();
        return own != nullptr ? *own : open_books(shard, v);
    }
    [[nodiscard]] Books& open_books(unsigned shard, NodeId v);
    /// The common case of reductions with one segment whose records are words. Returns false, and changes nothing, in
    /// all other cases.
    [[nodiscard]] bool sends_doubled(NodeId v, const Progression& contributions) {
        return change_doubling(v, [&](Doubling& own) { return own.sends(contributions); });
    }
    [[nodiscard]] bool receives_doubling(unsigned shard, NodeId v, const Progression& contributions) {
        return unheld_sent_[shard] == 0 && contributions.first != nodes_ &&
               change_doubling(v, [&](Doubling& own) { return own.receives(contributions); });
    }
    /// Whether a node owns its contribution only, as in all built-in operations.
    [[nodiscard]] bool begins_alone(NodeId v) const;
    template <class Change>
    [[nodiscard]] bool change_doubling(NodeId v, const Change& change) {
        BooksWord<Books>& own = books_[v];
        if (own.is_none() ? !begins_alone(v) : !own.is_doubling()) return false;
        Doubling doubling = own.is_none() ? Doubling(v) : own.doubling();
        if (!change(doubling)) return false;
        own.set(doubling);
        return true;
    }
    [[nodiscard]] Vector& vector(unsigned shard, NodeId v);
    [[nodiscard]] Vector fresh_vector(unsigned shard, NodeId v) const;
    [[nodiscard]] Books fresh_books(unsigned shard, NodeId v) const;
    [[nodiscard]] bool has_books(NodeId v) const;
    /// Reads the record of a node whose sets are bits, with the sets.
    void load(NodeId v, Books& own) const;
    void store(NodeId v, Books& own);
    /// Returns a node's record, or a record as at the start.
    [[nodiscard]] Books books_as_they_are(NodeId v) const;
    [[nodiscard]] Result result_of(NodeId v) const {
        if (!has_books(v)) return Result::none;
        if (segments_ > 1) return vectors_[v]->result;
        const BooksWord<Books>& own = books_[v];
        return own.is_doubling() ? static_cast<Result>(own.doubling().result) : own.elsewhere()->result;
    }
    /// Whether node v's result is complete and a sum of what it received, according to a record that is a word; marks
    /// it right.
    [[nodiscard]] bool is_right_doubling(NodeId v, std::span<const PacketBlock> contributions, const PacketSet& right);
    /// Returns what a node has of a segment, or of the packets, before the first round.
    [[nodiscard]] PacketSet owned(NodeId v, std::uint32_t segment = 0) const;
    /// Calls visit(segment, books, packets) for each part of what node v sends, receives or gives as its result, except
    /// parts for which is_done(arc books, packets).
    template <class IsDone, class Visit>
    void for_each_books(unsigned shard, NodeId v, std::span<const PacketBlock> packets, const IsDone& is_done,
                        const Visit& visit);
    [[nodiscard]] std::uint32_t nodes_in_arcs() const { return static_cast<std::uint32_t>(nodes_); }
    /// The common case of several segments whose contributions are an arc (arc_of()). Returns false, and changes
    /// nothing, in all other cases.
    [[nodiscard]] bool sends(ArcBooks& own, const std::optional<Arc>& arc) const;
    [[nodiscard]] bool receives(ArcBooks& own, const std::optional<Arc>& arc) const;
    [[nodiscard]] bool gives(const ArcBooks& own, std::span<const PacketBlock> contributions) const;
    /// sends() for a message whose segments have equal contributions and share one record.
    [[nodiscard]] bool sends_at_once(unsigned shard, NodeId v, const Progression& segments,
                                     const std::optional<Arc>& arc);
    [[nodiscard]] bool receives_at_once(unsigned shard, NodeId v, const Progression& segments,
                                        const std::optional<Arc>& arc);
    /// Returns the record in the general form, for any contributions.
    [[nodiscard]] Books books_of(unsigned shard, const ArcBooks& own) const;
    /// The common case of one packet a message where sets are bits. Returns false, and changes nothing, in all other
    /// cases.
    [[nodiscard]] bool sends_as_a_bit(NodeId v, PacketId packet) {
        const auto column = static_cast<std::uint32_t>(packet);
        if (held_bits_.of_none() || !held_bits_.has(v, column)) [[unlikely]]
            return false;
        if (!brief_) sent_bits_.add(v, column);
        return true;
    }
    [[nodiscard]] bool receives_as_a_bit(unsigned shard, NodeId v, PacketId packet) {
        const auto column = static_cast<std::uint32_t>(packet);
        if (held_bits_.of_none() || unheld_sent_[shard] != 0 || held_bits_.has(v, column)) [[unlikely]]
            return false;
        held_bits_.add(v, column);
        return true;
    }
    /// Brief scatter: M packets of each of some nodes leave a node that has them, or come to a node that received
    /// nothing before. Returns false, and changes nothing, in all other cases.
    [[nodiscard]] bool sends_part(NodeId v, std::span<const PacketBlock> packets) const;
    [[nodiscard]] bool receives_part(NodeId v, std::span<const PacketBlock> packets);
    [[nodiscard]] bool is_part(std::span<const PacketBlock> packets) const {
        if (came_once_.empty() || packets.size() != 1) return false;
        const PacketBlock& block = packets.front();
        return block.all_rows() == Progression{0, 1, static_cast<std::uint32_t>(collective_.packets_each)} &&
               (combining_ || block.size() == 1);
    }
    /// Brief scatter: whether the node holds its own packets.
    [[nodiscard]] bool has_own_part(NodeId v) const {
        return v == collective_.root || (came_once_[v].count != 0 && came_once_[v].has(static_cast<std::uint32_t>(v)));
    }
    /// General form of sent() and received(). `bundled`: the message has more packets than the machine allows.
    void send(unsigned shard, Round round, const Transfer& transfer, bool bundled, ViolationLog& log);
    void receive(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log);
    void send(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings);
    void receive(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings);
    void send_result(Books& own, Round round, NodeId v, Findings& findings);
    void receive_result(Books& own, Findings& findings);
    /// Returns those of the packets `came` that node v had received before.
    [[nodiscard]] PacketSet received_before(NodeId v, std::uint32_t segment, const PacketSet& came, Books& own) const;
    /// Returns a violation that names the lowest of the packets.
    [[nodiscard]] Violation violation(Breach breach, Round round, NodeId node, const Transfer& transfer,
                                      std::span<const PacketBlock> packets) const;
    /// Makes the result from what node v holds, and adds it. Returns false if contributions are missing.
    [[nodiscard]] bool makes_result(Books& own, NodeId v, std::uint32_t segment);
    [[nodiscard]] PacketBlock all_contributions() const { return {0, 1, static_cast<std::uint32_t>(nodes_)}; }
    /// Removes all contributions of a complete sum if the node holds the result, which contains them.
    void remove_given(PacketSet& contributions, const Books& own, std::uint32_t segment) const {
        if (!own.has_result || (folds_ != nullptr && !has_received_result(own))) return;
        const PacketSet all = collective_.in_result(segment, nodes_);
        if (contributions.covers(all.blocks())) contributions.remove(all);
    }
    /// Whether a result that a node has came to it, and it has not only made it, in whatever order.
    [[nodiscard]] bool has_received_result(const Books& own) const {
        const PacketBlock result = result_packet(nodes_);
        return !own.made_result || (own.rare_or_null != nullptr && own.rare_or_null->came_home.covers({&result, 1}));
    }
    /// Whether they are the result of a reduction, which must travel without other packets.
    [[nodiscard]] bool is_result(std::span<const PacketBlock> packets) const {
        return reduces_ && packets.front().first == nodes_;
    }
    void note_came(Books& own, std::span<const PacketBlock> value);
    /// Begins the list of what came to node v, because it did not come at once, or because the next value does not
    /// double it.
    void list_came(Books& own, NodeId v);
    /// Whether the contributions are a sum of received values, as far as O(1) shows.
    [[nodiscard]] bool adds_up(Books& own, std::span<const PacketBlock> contributions) const;
    /// Returns those of the contributions that node v has only combined with others that are not among them.
    [[nodiscard]] PacketSet inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions) const;
    /// Where only received values with is_part(value) count as parts of the contributions.
    template <class IsPart>
    [[nodiscard]] PacketSet inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions,
                                        const IsPart& is_part) const;
    /// Folds that are promised by a user: returns those of the contributions of one value that node v has only in parts that do not stand
    /// side by side in it, where it is taken in order; all, if they themselves do not (OwnFolds). `is_taken`: it is what v takes.
    [[nodiscard]] PacketSet out_of_order(const Books& own, NodeId v, std::uint32_t segment,
                                         std::span<const PacketBlock> contributions, bool is_taken) const;
    /// Returns what node v lacks of what it is promised; the second form, for some of it and a given record.
    [[nodiscard]] PacketSet missing(NodeId v) const;
    [[nodiscard]] PacketSet missing(const Books& own, NodeId v, std::uint32_t segment,
                                    std::span<const PacketBlock> right) const;
    /// Returns how many nodes' packets or contributions are missing at a root, which has one of each.
    [[nodiscard]] NodeId lacking_of(NodeId v) const;
    /// Returns the size of a message in packets.
    [[nodiscard]] std::uint64_t packets_in(std::span<const PacketBlock> packets) const {
        return reduces_ ? values_in(packets, collective_, segments_) : size_of(packets);
    }
    [[nodiscard]] bool satisfied(NodeId v, Round last, ViolationLog& log) const;
    /// Strict NOHO: makes Books::sent cover the rounds before this one, and returns the set sent in this round.
    [[nodiscard]] static PacketSet& sent_in(Round round, Books& own);

    Collective collective_;
    NodeId nodes_;
    bool combining_;
    bool reduces_;
    std::uint64_t segments_;  ///< of what folds; else 1
    bool strict_noho_;
    /// Whether records are a Doubling as long as possible: reductions with one segment, unless NOHO is strict.
    bool doubles_;
    bool brief_;
    bool limits_relays_;     ///< some nodes may pass nothing on (OwnCollective::passes_on)
    const OwnFolds* folds_;  ///< of a user; null: the operation says who takes what
    std::atomic<bool> in_doubt_ = false;
    bool results_told_ = true;
    NodeShare share_;
    NodeArray<BooksWord<Books>> books_;
    std::vector<std::deque<Books>> by_shard_;
    /// Broadcasts of several packets. Books::held and Books::sent are filled only while a message is examined that
    /// brings several packets or breaks a rule. Brief records have no bits for packets sent: while nodes send what they
    /// hold, a packet that comes for the first time was not sent before.
    PacketTable held_bits_;
    PacketTable sent_bits_;
    /// Brief scatter: the nodes whose packets came in the only message to a node; count 0: none came.
    NodeArray<Progression> came_once_;
    NodeArray<Vector*> vectors_;  ///< replaces books_ where there are several segments
    std::vector<std::deque<Vector>> vectors_by_shard_;
    std::vector<std::deque<Came>> came_;     ///< reductions, by shard
    std::vector<std::uint8_t> unheld_sent_;  ///< by shard: a node sent what it did not hold, and may receive it later
};

}  // namespace kport
