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
#include "emulator/base/node_array.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/packet_table.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Judges holding, NODUP, NOHO, combining and delivery of operations in which packets are many, and of reductions, whose
/// packets are contributions. Sets are blocks (PacketBlock), so that memory and time grow with the messages and not with
/// the packets in them.
///
/// Of a reduction it also remembers which contributions came together: they were folded into one value, which nobody can
/// take apart (model.md section 1, contributions); in runs (Collective::in_runs) each run is a value. Where there are several segments each is folded by itself, and has books
/// of its own, which are shared by all that have the same (SegmentBooks).
///
/// Shards    as in an Auditor: different tasks may use different shards at the same time, a node belongs to one. In a
///           round all sent() of a shard come before its received().
/// Transfers carry sets of the operation's packets (PacketSpace): the auditor asks before it shows them here.
/// Reports   one violation a message and rule, with its lowest packet.
/// Memory    a word a node, about 80 bytes for each that sends or receives, and what their sets take beyond one block; where all
///           nodes get the same several packets two bits for each node and packet instead, in brief books one; in those of a
///           scatter 12 bytes a node;
///           of a reduction 16 bytes a block that comes, and the word alone while every value doubles what its node holds. Of
///           several segments that is for each group of them with the same books, or whose books advance evenly (SegmentBooks); 56 bytes
///           while its contributions are an Arc, which came as one value, or doubled.
class Ledger {
  public:
    /// Of the nodes of a share; by default of all. `brief` as Auditor: of a broadcast of several packets it keeps what nodes hold, of
    /// a scatter what has come to them.
    Ledger(const Machine& machine, const Collective& collective, unsigned shards, const NodeShare& share = {},
           bool brief = false);

    /// Fetches what sent() or received() will touch of a node: a hint.
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

    /// Brief books do not suffice: something may break a rule. Any task.
    void doubt() { in_doubt_.store(true, std::memory_order_relaxed); }  // nothing else is handed over with the flag
    [[nodiscard]] bool in_doubt() const { return in_doubt_.load(std::memory_order_relaxed); }
    /// Of a broadcast of several packets: what nodes hold, by the transfers.
    [[nodiscard]] const PacketTable& held() const { return held_bits_; }

    /// Nobody tells results: of a reduction it counts who has what its result is made of.
    void expect_no_results() { results_told_ = false; }

    /// After the last round: what is missing. Returns how many hold what they are promised, and how many should (Verdict).
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> finish(Round last, ViolationLog& log);
    /// The same of a run that was stopped, of the nodes that sent or received; nothing is missing yet. `anything_moved`: in the
    /// rounds that are over.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> so_far(bool anything_moved) const;
    /// Whether a node holds all that it is promised; results that were told are right.
    [[nodiscard]] bool satisfied_so_far(NodeId v) const;
    /// What node v holds of what it is promised.
    [[nodiscard]] PacketBlocks held_as_promised(NodeId v) const;

  private:
    enum class Result : std::uint8_t { none, wrong, right };
    /// Contributions that came to a node in one value, or a block of them: a list from the last value to the first.
    struct Came {
        static constexpr std::uint32_t none = (std::uint32_t{1} << 31) - 1;
        Progression contributions;
        std::uint32_t before : 31;  ///< place of what came before it; none: nothing did
        bool begins : 1;            ///< it is its value's first block
    };
    /// What few nodes need.
    struct Rare {
        /// Packets that came although the node had them from the start or had made them. Of all others that it holds we know
        /// that they came.
        PacketSet came_home;
        /// Strict NOHO: what the node has sent in its last round with a send; Books::sent holds the rounds before that one.
        Round last_sent_in = 0;
        PacketSet last_sent;
        /// Of a node to which many values came, and that often sends sums of some: those up to a place in their list.
        CameRuns came_runs;
        std::uint32_t long_looks = 0;  ///< how often it was asked
        std::uint32_t came_runs_end = Came::none;
    };
    /// Of a node; of a reduction of several segments, of a node and some of them, contributions in row 0.
    struct Books {
        PacketSet held;  ///< owned or received
        PacketSet sent;
        std::unique_ptr<Rare> rare_or_null;
        std::uint32_t last_came = Came::none;
        std::uint16_t shard = 0;
        Result result = Result::none;
        /// Of a reduction: `held` is a range that grew from the node's own contribution, always by a neighbour of its own
        /// size. Its halves tell what came (for_each_doubling()), and no list does.
        bool doubled : 1 = true;
        /// All that it holds but the node's own contribution came as one value, which is in no list either.
        bool came_at_once : 1 = false;
        // The result of a reduction, as a packet (result_packet()), stands in none of the sets: a bit each.
        bool has_result : 1 = false;
        bool made_result : 1 = false;  ///< it has it because it was made there
        bool sent_result : 1 = false;  ///< strict NOHO: Rare::last_sent and `sent` tell

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
    /// Of some segments of a node: all that Books would say while what came doubled, or came at once, and is an Arc with the node's
    /// own contribution, and while only all of that is sent, or the result.
    struct ArcBooks {
        Arc held;
        Arc sent;
        std::unique_ptr<Books> books_or_null;  ///< once that is not so, instead of the others
        /// From one block of segments to the next (SegmentBooks), of `held`, and of `sent` if that is the same.
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

        /// Whether what came doubled what was held, each time.
        [[nodiscard]] bool only_doubled(std::uint32_t nodes) const {
            return doubled || held.count == 1 || (held.count == 2 && held.first + 1 != nodes);
        }
        // For SegmentBooks.
        [[nodiscard]] bool operator==(const ArcBooks& other) const {
            return goes_with(other) && held == other.held && sent == other.sent && advance == other.advance;
        }
        [[nodiscard]] bool advances() const { return advance != Arc{0, 0}; }
        /// What has come and is not sent on yet mostly will be in the next round.
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
    /// Of a node that has several segments.
    struct Vector {
        SegmentBooks<ArcBooks> segments;
        GatheredResults results;
        Result result = Result::none;

        /// The books of the segments tell of all results that it has, from now on.
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
    /// What nearly all messages of a reduction with one segment do, where its nodes' books are words: false, and nothing is changed,
    /// if it is anything else.
    [[nodiscard]] bool sends_doubled(NodeId v, const Progression& contributions) {
        return change_doubling(v, [&](Doubling& own) { return own.sends(contributions); });
    }
    [[nodiscard]] bool receives_doubling(unsigned shard, NodeId v, const Progression& contributions) {
        return unheld_sent_[shard] == 0 && contributions.first != nodes_ &&
               change_doubling(v, [&](Doubling& own) { return own.receives(contributions); });
    }
    /// Whether a node owns its contribution, as everywhere in the operations of the table.
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
    [[nodiscard]] Books fresh_books(unsigned shard, NodeId v) const;
    [[nodiscard]] bool has_books(NodeId v) const;
    /// The books of a node whose sets are bits, with the sets; and back.
    void load(NodeId v, Books& own) const;
    void store(NodeId v, Books& own);
    /// A node's books, or what it would begin with.
    [[nodiscard]] Books books_as_they_are(NodeId v) const;
    [[nodiscard]] Result result_of(NodeId v) const {
        if (!has_books(v)) return Result::none;
        if (segments_ > 1) return vectors_[v]->result;
        const BooksWord<Books>& own = books_[v];
        return own.is_doubling() ? static_cast<Result>(own.doubling().result) : own.elsewhere()->result;
    }
    /// Whether node v gives what it owes and that is a sum of what came to it, by books that are a word, which then says so.
    [[nodiscard]] bool is_right_doubling(NodeId v, std::span<const PacketBlock> contributions, const PacketSet& right);
    /// What a node has of a segment, or of packets, before the first round.
    [[nodiscard]] PacketSet owned(NodeId v) const;
    /// Calls visit(segment, books, packets) for the parts of what node v sends, receives or gives, but not for those of which
    /// is_done(arc books, packets).
    template <class IsDone, class Visit>
    void for_each_books(unsigned shard, NodeId v, std::span<const PacketBlock> packets, const IsDone& is_done,
                        const Visit& visit);
    [[nodiscard]] std::uint32_t nodes_in_arcs() const { return static_cast<std::uint32_t>(nodes_); }
    /// What nearly all messages and results of several segments do, if they are an arc (arc_of()): false, and nothing is changed, if
    /// it is anything else.
    [[nodiscard]] bool sends(ArcBooks& own, const std::optional<Arc>& arc) const;
    [[nodiscard]] bool receives(ArcBooks& own, const std::optional<Arc>& arc) const;
    [[nodiscard]] bool gives(const ArcBooks& own, std::span<const PacketBlock> contributions) const;
    /// The same of a message to whose segments there are the same contributions, and one group's books.
    [[nodiscard]] bool sends_at_once(unsigned shard, NodeId v, const Progression& segments,
                                     const std::optional<Arc>& arc);
    [[nodiscard]] bool receives_at_once(unsigned shard, NodeId v, const Progression& segments,
                                        const std::optional<Arc>& arc);
    /// The same as books of any contributions.
    [[nodiscard]] Books books_of(unsigned shard, const ArcBooks& own) const;
    /// What nearly all messages of one packet do where the sets are bits: false, and nothing is changed, if it is anything else.
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
    /// All that brief books of a scatter know: M packets of each of some nodes are sent by one that has them, or come to one to which
    /// nothing has come. False, and nothing is changed, if it is anything else.
    [[nodiscard]] bool sends_part(NodeId v, std::span<const PacketBlock> packets) const;
    [[nodiscard]] bool receives_part(NodeId v, std::span<const PacketBlock> packets);
    [[nodiscard]] bool is_part(std::span<const PacketBlock> packets) const {
        if (came_once_.empty() || packets.size() != 1) return false;
        const PacketBlock& block = packets.front();
        return block.all_rows() == Progression{0, 1, static_cast<std::uint32_t>(collective_.packets_each)} &&
               (combining_ || block.size() == 1);
    }
    /// By the same books, whether the node holds its own packets.
    [[nodiscard]] bool has_own_part(NodeId v) const {
        return v == collective_.root || (came_once_[v].count != 0 && came_once_[v].has(static_cast<std::uint32_t>(v)));
    }
    /// As sent() and received(), whatever the books. `bundled`: more packets than the machine allows in a message.
    void send(unsigned shard, Round round, const Transfer& transfer, bool bundled, ViolationLog& log);
    void receive(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log);
    void send(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings);
    void receive(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings);
    void send_result(Books& own, Round round, Findings& findings);
    void receive_result(Books& own, Findings& findings);
    /// Of the packets that came to node v, those that it has received before.
    [[nodiscard]] PacketSet received_before(NodeId v, const PacketSet& came, Books& own) const;
    /// Of the lowest of some packets.
    [[nodiscard]] Violation violation(Breach breach, Round round, NodeId node, const Transfer& transfer,
                                      std::span<const PacketBlock> packets) const;
    /// Makes the result of what node v holds, which it holds from now on. False if it has not all contributions.
    [[nodiscard]] bool makes_result(Books& own);
    [[nodiscard]] PacketBlock all_contributions() const { return {0, 1, static_cast<std::uint32_t>(nodes_)}; }
    /// Takes away all contributions, where they are all there and the node holds the result, which sums them up.
    void remove_given(PacketSet& contributions, const Books& own) const {
        const PacketBlock all = all_contributions();
        if (own.has_result && contributions.covers({&all, 1})) contributions.remove({&all, 1});
    }
    /// Whether they are the result of a reduction, which travels alone.
    [[nodiscard]] bool is_result(std::span<const PacketBlock> packets) const {
        return reduces_ && packets.front().first == nodes_;
    }
    void note_came(Books& own, std::span<const PacketBlock> value);
    /// Lists what came to node v so far, because it did not come at once, or what follows does not double what it holds.
    void list_came(Books& own, NodeId v);
    /// Whether the contributions are a sum of values that came, as one look shows.
    [[nodiscard]] bool adds_up(Books& own, std::span<const PacketBlock> contributions) const;
    /// Those of the contributions that node v has only folded with others that are not among them.
    [[nodiscard]] PacketSet inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions) const;
    /// What node v lacks of what it is promised; of some of it, by its books.
    [[nodiscard]] PacketSet missing(NodeId v) const;
    [[nodiscard]] PacketSet missing(const Books& own, NodeId v, std::span<const PacketBlock> right) const;
    /// How many nodes' packets or contributions are among them; of a root, which has one of each.
    [[nodiscard]] NodeId lacking_of(NodeId v) const;
    /// The size of a message.
    [[nodiscard]] std::uint64_t packets_in(std::span<const PacketBlock> packets) const {
        return reduces_ ? values_in(packets, collective_, segments_) : size_of(packets);
    }
    [[nodiscard]] bool satisfied(NodeId v, Round last, ViolationLog& log) const;
    /// Strict NOHO: Books::sent is then of rounds before this one, and of this one what is returned.
    [[nodiscard]] static PacketSet& sent_in(Round round, Books& own);

    Collective collective_;
    NodeId nodes_;
    bool combining_;
    bool reduces_;
    std::uint64_t segments_;  ///< of what folds; else 1
    bool strict_noho_;
    /// Books are a Doubling as long as they can: of a reduction that is no vector, not under strict NOHO.
    bool doubles_;
    bool brief_;
    std::atomic<bool> in_doubt_ = false;
    bool results_told_ = true;
    NodeShare share_;
    NodeArray<BooksWord<Books>> books_;
    std::vector<std::deque<Books>> by_shard_;
    /// Of a broadcast of several packets: what is in Books::held and Books::sent only while a message is looked at that brings
    /// several, or that breaks a rule. Brief books have no second one: while nodes send what they hold, what comes for the first
    /// time is nothing that they have sent.
    PacketTable held_bits_;
    PacketTable sent_bits_;
    /// Brief books of a scatter: of which nodes the packets are that have come to one in the only message to it; 0 of them: none.
    NodeArray<Progression> came_once_;
    NodeArray<Vector*> vectors_;  ///< instead of books_, where there are several segments
    std::vector<std::deque<Vector>> vectors_by_shard_;
    std::vector<std::deque<Came>> came_;     ///< of a reduction, by shard
    std::vector<std::uint8_t> unheld_sent_;  ///< by shard: somebody sent what it did not hold, and may receive it later
};

}  // namespace kport
