/// @file traffic.hpp   Log of the transfers of a free run.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <boost/icl/interval_set.hpp>

#include "emulator/audit/round_sink.hpp"
#include "emulator/payload/batches.hpp"
#include "emulator/payload/body.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The transfers that one worker started and the results that its nodes gave, each with its logical round.
///
/// Callers   one task at a time.
/// Memory    an entry of a set for rounds in a row that programs let pass; 40 bytes a transfer, what its packets take (24 bytes a
///           block; a broadcast's nothing), 4 a link of a longer path.
class Traffic {
  public:
    /// Of a broadcast `packets` may be empty: `packet` is the one.
    void add(Round round, NodeId from, NodeId to, std::span<const Port> route, std::span<const PacketBlock> packets,
             PacketId packet);
    /// A program let the rounds from `first` on pass on purpose, and those before `end`.
    void let_pass(Round first, Round end) {
        if (first < latest_.first || end > latest_.second) note_passed(first, end);
    }
    /// Takes one reference to the body over.
    void add_result(Round round, NodeId v, Body* result) { results_.push_back({round, v, result}); }
    /// Node v left a barrier.
    void add_left(Round round, NodeId v) { results_.push_back({round, v, nullptr}); }

    /// Forgets everything, keeping the memory.
    void restart(FramePool& pool);

  private:
    friend class Judgement;
    using PassedRounds = boost::icl::interval_set<Round>;
    void note_passed(Round first, Round end);

    struct Entry {
        Round round;
        std::uint32_t from;
        std::uint32_t to;
        Port first_port;
        std::uint32_t hops;
        std::uint32_t blocks;
        std::uint64_t first_hop;
        std::uint64_t first_block;  ///< or, where there are no blocks, the packet
    };
    struct Given {
        Round round;
        NodeId node;
        Body* result;  ///< null: it left a barrier
    };

    Batches<Entry> entries_;
    std::vector<Port> hops_;
    std::vector<PacketBlock> blocks_;
    std::vector<Given> results_;
    PassedRounds let_pass_;
    /// Of let_pass_ the interval that was looked at last, without its end; none at first.
    std::pair<Round, Round> latest_{1, 0};
};

/// Shows all traffic of a run to an auditor, round by round, in an order that does not depend on the threads. On large machines
/// the nodes are dealt to as many shards as there are threads, which judge a large round at the same time.
///
/// Cost   a sort of the transfers, then as the auditor; each shard looks through all transfers of a large round.
class Judgement {
  public:
    /// Of a machine of so many nodes; in an arena of so many threads.
    Judgement(NodeId nodes, unsigned threads);
    /// The auditor must have so many.
    [[nodiscard]] unsigned shards() const { return shard_mask_ + 1; }

    /// The traffic must stay as it is until judge() is over.
    void add(const Traffic& traffic);
    /// `rounds` leads to the auditor.
    void judge(Auditor& auditor, RoundSink& rounds);

  private:
    /// The place of a transfer, with what it is sorted by: what is compared millions of times stands together.
    struct Sent {
        Round round;
        std::uint32_t from;
        Port first_port;
        const Traffic::Entry* entry;
        const Traffic* traffic;

        bool operator<(const Sent& other) const {
            if (round != other.round) return round < other.round;
            if (from != other.from) return from < other.from;
            return first_port != other.first_port ? first_port < other.first_port : comes_before(*this, other);
        }
    };
    /// Orders messages of a round by the same first port, as trunks carry them: by receiver, then by packets.
    [[nodiscard]] static bool comes_before(const Sent& one, const Sent& other);
    [[nodiscard]] static Transfer transfer_of(const Sent& sent, PacketBlock& single);
    [[nodiscard]] unsigned shard_of(NodeId v) const { return static_cast<unsigned>(v / nodes_in_a_row) & shard_mask_; }
    void judge_round(RoundSink& rounds, std::span<const Sent> round);
    void tell_results(Auditor& auditor, Round until);
    /// The rounds between two with transfers that programs let pass.
    void tell_silence(RoundSink& rounds, Round first, Round end) const;

    static constexpr NodeId nodes_in_a_row = 4096;  ///< of a shard: trees have their senders close together

    unsigned shard_mask_;
    std::vector<unsigned> touched_;  ///< the shards of the round at hand
    std::vector<Sent> sent_;
    std::vector<Traffic::Given> results_;
    Traffic::PassedRounds let_pass_;
    std::size_t told_ = 0;
    std::vector<PacketBlock> singles_;
    std::vector<Transfer> transfers_;
};

}  // namespace kport
