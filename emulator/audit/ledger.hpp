/// @file ledger.hpp   Which packets every node holds and has sent: the books of operations that move many packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "emulator/audit/violation.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// Judges holding, NODUP, NOHO, combining and delivery of operations in which packets are many, and of reductions, whose
/// packets are contributions. Sets are blocks (PacketBlock), so that memory and time grow with the messages and not with
/// the packets in them.
///
/// Of a reduction it also remembers which contributions came together: they were folded into one value, which nobody can
/// take apart (model.md section 1, contributions). It may be cut into its segments: each is folded by itself.
///
/// Shards    as in an Auditor: different tasks may use different shards at the same time, a node belongs to one. In a
///           round all sent() of a shard come before its received().
/// Transfers carry sets of the operation's packets (PacketSpace): the auditor asks before it shows them here.
/// Reports   one violation a message and rule, with its lowest packet.
/// Memory    a word a node, about 80 bytes for each that sends or receives, and what their sets take beyond one block;
///           of a reduction 16 bytes a block that comes, and none while every value doubles what its node holds.
class Ledger {
  public:
    Ledger(const Machine& machine, const Collective& collective, unsigned shards);

    /// Fetches what sent() or received() will touch of a node: a hint.
    void prefetch(NodeId v) const {
        const Books* own = books_[v];
        if (own == nullptr) return;
        __builtin_prefetch(own, 1);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(own) + 64, 1);
    }

    void sent(unsigned shard, Round round, const Transfer& transfer, ViolationLog& log);
    void received(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log);
    void result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions, ViolationLog& log);

    /// Nobody tells results: of a reduction it counts who has what its result is made of.
    void expect_no_results() { results_told_ = false; }

    /// After the last round: what is missing. Returns how many hold what they are promised, and how many should (Verdict).
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> finish(Round last, ViolationLog& log);
    /// The same of a run that was stopped, of the nodes that sent or received; nothing is missing yet.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> so_far() const;
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
    struct Books {
        PacketSet held;  ///< owned or received
        PacketSet sent;
        std::uint32_t last_came = Came::none;
        std::uint16_t shard = 0;
        Result result = Result::none;
        /// Of a reduction: `held` is a range that grew from the node's own contribution, always by a neighbour of its own
        /// size. Its halves tell what came (for_each_doubling()), and no list does.
        bool doubled : 1 = true;
    };
    static_assert(sizeof(Books) <= 72);

    [[nodiscard]] Books& books(unsigned shard, NodeId v) {
        Books* own = books_[v];
        return own != nullptr ? *own : open_books(shard, v);
    }
    [[nodiscard]] Books& open_books(unsigned shard, NodeId v);
    [[nodiscard]] bool holds(Books& own, NodeId v, std::span<const PacketBlock> packets);
    /// Of the packets that came to node v, those that it has received before.
    [[nodiscard]] PacketSet received_before(unsigned shard, NodeId v, const PacketSet& came, const Books& own);
    /// Of the lowest of some packets.
    [[nodiscard]] Violation violation(Breach breach, Round round, NodeId node, const Transfer& transfer,
                                      std::span<const PacketBlock> packets) const;
    /// What node v can make of what it holds: the results of the segments to which it holds all contributions. It holds them
    /// from now on. False if one of the packets is none of these.
    [[nodiscard]] bool makes_results(Books& own, NodeId v, std::span<const PacketBlock> packets);
    /// Of some contributions those that are all to their segments, where a node holds the segments' results.
    [[nodiscard]] PacketSet given_by_results(const PacketSet& held, std::span<const PacketBlock> contributions) const;
    void note_came(Books& own, std::span<const PacketBlock> value);
    /// Lists what came to node v so far, because what follows, or what it makes, does not double what it holds.
    void list_doublings(Books& own, NodeId v);
    /// Those of the contributions that node v has only folded with others that are not among them.
    [[nodiscard]] PacketSet inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions) const;
    /// What node v lacks of what it is promised.
    [[nodiscard]] PacketSet missing(NodeId v) const;
    /// How many nodes' packets or contributions are among them; of a root, which has one of each.
    [[nodiscard]] NodeId lacking_of(NodeId v) const;
    /// The size of a message.
    [[nodiscard]] std::uint64_t packets_in(std::span<const PacketBlock> packets) const {
        return reduces_ ? values_in(packets, collective_) : size_of(packets);
    }
    [[nodiscard]] bool satisfied(NodeId v, Round last, ViolationLog& log) const;

    Collective collective_;
    NodeId nodes_;
    bool combining_;
    bool reduces_;
    bool strict_noho_;
    bool results_told_ = true;
    HugeArray<Books*> books_;
    std::vector<std::deque<Books>> by_shard_;
    std::vector<std::deque<Came>> came_;              ///< of a reduction, by shard
    std::vector<std::deque<Progression>> came_rows_;  ///< beside came_, the segments, where there are several
    /// By shard and node: the results that it holds because they were made there.
    std::vector<std::map<NodeId, PacketSet>> made_;
    /// By shard and node: packets that came to the node although it had them from the start or had made them. Of all
    /// others that it holds we know that they came.
    std::vector<std::map<NodeId, PacketSet>> came_home_;
    /// Strict NOHO, by shard and node: what the node has sent in its last round with a send; Books::sent holds the rounds
    /// before that one.
    struct SentLast {
        Round round = 0;
        PacketSet packets;
    };
    /// Strict NOHO: `sent` of the node's books is of rounds before this one, and of this one what is returned.
    [[nodiscard]] SentLast& sent_in(unsigned shard, NodeId v, Round round, Books& own);
    std::vector<std::map<NodeId, SentLast>> sent_last_;
    std::vector<std::uint8_t> unheld_sent_;  ///< by shard: somebody sent what it did not hold, and may receive it later
};

}  // namespace kport
