/// @file rank_mail.hpp   Mail between partitions of different ranks, and the bytes that it brings.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/engine/all_ranks.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/past_rounds.hpp"

namespace kport {

/// What the ranks tell one another of a round once its programs have run: sums and alternatives over their partitions.
struct RoundNews {
    static constexpr std::uint64_t no_alarm = std::numeric_limits<std::uint64_t>::max();  ///< behind all rounds

    Round round = 0;       ///< 0: of a rank that waits for one that runs alone
    bool resumes = false;  ///< the rank that ran alone does so no longer: nothing of this round has run
    bool busy = false;     ///< some program ran
    bool stop = false;
    bool contends = false;      ///< claims of the rank that ran alone compete
    bool sends_unheld = false;  ///< Partition::sends_unheld()
    bool lets_round_pass = false;
    bool goes_on = false;            ///< some node has something to do in the next round, without a message
    std::uint64_t alarm = no_alarm;  ///< the next round for which a node waits
    std::uint64_t sent = 0;
    std::uint64_t touched = 0;    ///< a bit for each partition that ran or is sent something
    std::uint64_t next = 0;       ///< and for each that may have something to do in the next round
    NodeId failed = no_node;      ///< the lowest node whose program let an exception escape
    std::string error;            ///< what it says
    std::vector<Silence> silent;  ///< rounds since the last one with a message
    PastRounds past;

    void add(RoundNews other);
    template <class Archive>
    void travel(Archive& archive) {
        archive(round, resumes, busy, stop, contends, sends_unheld, lets_round_pass, goes_on, alarm, sent, touched,
                next, failed, error, silent, past);
    }
};

/// Takes the messages of a round to the ranks of their receivers, or to all, and makes them again there: what they carry with them,
/// in memory of the receiving partition. A body without a receiver here has no bytes.
///
/// A value's seal travels as what it adds to those of its run's sealer, which every rank has of its own.
///
/// Callers   one task, between the phases of the partitions.
/// Cost      O(c + size of what they carry) for c messages; to_all: of all ranks' messages.
class RankMail {
  public:
    RankMail(AllRanks& ranks, World& world) : ranks_(ranks), world_(world) {}

    /// What `senders` have posted goes to the ranks of its receivers, `to_all`: to every rank. Returns the news of all ranks.
    [[nodiscard]] RoundNews exchange(const std::vector<Partition*>& senders, RoundNews news, bool to_all,
                                     Partition::Partitions& partitions);

    /// Messages from one partition to one. They stand in the letter.
    struct Batch {
        unsigned from;
        unsigned to;
        std::span<const Message> messages;
        std::span<const std::byte> bytes;  ///< their packets, if they are of a broadcast and this rank receives them
    };
    /// Of other ranks, by sending partition. They live as long as clear() is not called.
    [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }
    /// The ports of a wormhole message of another rank.
    [[nodiscard]] std::span<const Port> route(const Message& message) const {
        return {routes_.data() + message.out + 1, routes_[message.out]};
    }
    /// Ends what those messages carry that are to partitions of other ranks, or all. They were not arbitrated.
    void discard(Partition::Partitions& partitions, bool all);
    /// As Partition::hand_over_mail().
    void hand_over() { is_here_ = false; }
    /// Ends what has not been handed over.
    void tear_down(Partition::Partitions& partitions) {
        if (is_here_) discard(partitions, true);
    }
    /// Forgets the messages.
    void clear();
    /// How many messages this rank has sent to nodes of others.
    [[nodiscard]] std::uint64_t remote() const { return remote_; }

  private:
    /// Begins a batch in a letter.
    struct BatchHead {
        unsigned from;
        unsigned to;
        std::uint64_t messages;
    };

    void write(Letter& letter, const Partition& sender, unsigned to, bool with_bytes) const;
    void write_packets(LetterWriter& writer, const Partition& sender, unsigned to) const;
    void write_content(LetterWriter& writer, const Message& message, bool with_bytes) const;
    void read(LetterReader& reader, Partition::Partitions& partitions);
    void read_route(LetterReader& reader, Message& message);
    [[nodiscard]] std::uint64_t read_content(LetterReader& reader, const Message& message, bool with_bytes,
                                             FramePool& pool);

    AllRanks& ranks_;
    World& world_;
    std::vector<Letter> letters_;
    std::vector<Batch> batches_;
    std::vector<Port> routes_;
    bool is_here_ = false;  ///< and not yet handed over
    std::uint64_t remote_ = 0;
};

}  // namespace kport
