/// @file messages.hpp   Formulas of schedules of T rounds: which messages cross which channels, and what they carry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/search/question.hpp"
#include "app/search/solver.hpp"
#include "app/search/symmetry.hpp"

namespace kport::search {

/// The messages of each round, under the rules of the machine.
///
/// Variables  sent(c, t): a message crosses channel c in round t.
/// Memory     4 bytes a channel and round, and what the solver needs.
class Messages {
  public:
    /// A message of a round on a link, in one direction. A trunk has several.
    struct Channel {
        Node32 from = no_node32;
        Node32 to = no_node32;
        std::uint32_t place = 0;  ///< among those from and to the same nodes, which have consecutive numbers
    };

    /// `serial`: at most one message a round. Throws FormulaStopped.
    Messages(Solver& solver, const Question& question, Round rounds, bool serial);
    virtual ~Messages() = default;
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    /// Of the schedules that automorphisms make of each other, the one whose first round comes first. The automorphisms keep the
    /// question as it is.
    void add_symmetry(std::span<const Automorphism> symmetry);
    /// A literal that assumes a volume of at most `most` packets, or at most `most` messages. The first call makes the counters,
    /// and must ask for the most.
    [[nodiscard]] Literal volume_at_most(std::uint64_t most);
    [[nodiscard]] Literal messages_at_most(std::uint64_t most);
    /// After the answer yes.
    [[nodiscard]] virtual Schedule schedule() const = 0;

  protected:
    using ChannelId = std::uint32_t;

    [[nodiscard]] Node32 nodes() const { return graph_.nodes(); }
    [[nodiscard]] Literal sent(ChannelId c, Round round) const { return sent_[channels_.size() * (round - 1) + c]; }
    /// Of two nodes. Those from a node are found when they are first asked for: packets have few owners.
    [[nodiscard]] std::uint32_t distance(Node32 u, Node32 v) const {
        if (distance_[u].empty()) distance_[u] = graph_.distances({&u, 1});
        return distance_[u][v];
    }
    /// The literals of what the message on a channel carries; each counts as one packet.
    [[nodiscard]] virtual std::vector<Literal> carried(ChannelId c, Round round) const = 0;
    [[nodiscard]] Transfer transfer(ChannelId c, const Port& port, const PacketBlocks& blocks) const {
        return {channels_[c].from, channels_[c].to, {&port, 1}, span_of(blocks)};
    }
    [[nodiscard]] Port port_of(ChannelId c) const {
        return question_.machine.topology->wires().port_to(channels_[c].from, channels_[c].to);
    }

    /// With one message a round, of which some nodes must send and some must receive: at most so many messages as the others are
    /// not a node's first.
    void limit_repeats(const std::vector<bool>& senders, const std::vector<bool>& receivers);

    Solver& solver_;
    const Question& question_;
    Graph graph_;
    Round rounds_;
    std::vector<Channel> channels_;
    std::vector<std::vector<ChannelId>> out_;  ///< by node
    std::vector<std::vector<ChannelId>> in_;

  private:
    void add_node(Node32 v, Round round);
    void add_links(Round round);
    void order_messages(Round round);
    void limit_repeats(const std::vector<bool>& needed, const std::vector<std::vector<ChannelId>>& channels_of);

    mutable std::vector<std::vector<std::uint32_t>> distance_;
    std::vector<Literal> sent_;
    std::vector<Literal> volume_;    ///< [j]: the volume is more than j
    std::vector<Literal> messages_;  ///< [j]: there are more than j
};

/// Packets, each with owners and receivers.
///
/// Variables  holds(p, v, t): v has p after round t; carries(p, c, t): the message on c carries p. Both only where they can matter.
class PacketMessages final : public Messages {
  public:
    PacketMessages(Solver& solver, const Question& question, Round rounds, bool serial = false);
    [[nodiscard]] Schedule schedule() const override;

  private:
    struct Item {
        NeededPacket packet;
        std::vector<bool> wanted;               ///< by node
        std::vector<std::uint32_t> from_owner;  ///< by node: distance from the nearest that owns it
        std::vector<std::uint32_t> still;       ///< by node: distance to the nearest that wants it
    };

    void make_items();
    [[nodiscard]] bool may_cross(Node32 from, Node32 to) const;
    void add_item(std::size_t i);
    void add_ways(std::size_t i);
    void add_bundles(Round round);
    void order_alike();
    [[nodiscard]] Literal holds(std::size_t i, Node32 v, Round round) const;
    [[nodiscard]] Literal& carries(std::size_t i, ChannelId c, Round round) {
        return carries_[(i * rounds_ + round - 1) * channels_.size() + c];
    }
    [[nodiscard]] Literal carries(std::size_t i, ChannelId c, Round round) const {
        return carries_[(i * rounds_ + round - 1) * channels_.size() + c];
    }
    [[nodiscard]] std::vector<Literal> carried(ChannelId c, Round round) const override;

    std::vector<Item> items_;
    std::vector<Literal> holds_;
    std::vector<Literal> carries_;  ///< never where it cannot matter
};

/// Values of an allreduce or a scan, a segment at a time.
///
/// Variables  has(s, w, c, t): the value of segment s on c has contributor w; holds(s, w, v, t): v holds w's contribution after round t;
///            result(s, c, t): the message carries the result of s.
class ValueMessages final : public Messages {
  public:
    ValueMessages(Solver& solver, const Question& question, Round rounds, Reading reading, bool serial = false);
    [[nodiscard]] Schedule schedule() const override;

  private:
    void add_segment(std::uint32_t s);
    void add_value(std::uint32_t s, ChannelId c, Round round);
    void add_folds(std::uint32_t s, ChannelId c, Round round);
    void add_receipts(std::uint32_t s, Node32 v, Round round);
    void add_results(std::uint32_t s);
    void add_end(std::uint32_t s, Node32 v);
    void add_bundles(Round round);
    void order_segments();
    [[nodiscard]] bool scans() const { return question_.collective.scans(); }
    [[nodiscard]] bool can_matter(Node32 w, ChannelId c, Round round) const;
    [[nodiscard]] Literal holds(std::uint32_t s, Node32 w, Node32 v, Round round) const;
    [[nodiscard]] Literal& has(std::uint32_t s, Node32 w, ChannelId c, Round round) {
        return has_[((std::size_t{s} * rounds_ + round - 1) * channels_.size() + c) * nodes() + w];
    }
    [[nodiscard]] Literal has(std::uint32_t s, Node32 w, ChannelId c, Round round) const {
        return has_[((std::size_t{s} * rounds_ + round - 1) * channels_.size() + c) * nodes() + w];
    }
    [[nodiscard]] std::size_t place(std::uint32_t s, ChannelId c, Round round) const {
        return (std::size_t{s} * rounds_ + round - 1) * channels_.size() + c;
    }
    [[nodiscard]] std::size_t node_place(std::uint32_t s, Node32 v, Round round) const {
        return (std::size_t{s} * (rounds_ + 1) + round) * nodes() + v;
    }
    [[nodiscard]] std::vector<Literal> carried(ChannelId c, Round round) const override;

    Reading reading_;
    std::uint32_t segments_;
    std::vector<Literal> has_;
    std::vector<Literal> holds_;
    std::vector<Literal> value_;     ///< by place(): there is a value; of runs by has_'s place: a run starts
    std::vector<Literal> starts_;    ///< of runs, as has_
    std::vector<Literal> result_;    ///< by place()
    std::vector<Literal> whole_;     ///< by node_place(): v holds all contributions
    std::vector<Literal> received_;  ///< by node_place(): the result has come to v
    std::vector<Literal> told_;      ///< by node_place(): v has sent the result
};

/// About how many bytes the formula takes.
[[nodiscard]] double bytes_of_messages(const Question& question, Round rounds);

}  // namespace kport::search
