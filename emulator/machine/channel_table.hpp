/// @file channel_table.hpp   The channels taken in a round, and the sender that took each.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/machine/machine.hpp"

namespace KPORT_PUBLIC kport {

/// A map from directed channels to the node whose message took them, cleared at once for each round.
///
/// If nodes have few ports it is an array over all channels, of which only used entries are touched: channels of a path
/// are adjacent. Complete graphs have too many channels for that, but short paths; they use an open hash table with a
/// round in every slot. (The standard maps cost ten times the walk along the path.)
///
/// Where links have capacities or switches limits, a channel is free until as many messages have taken it as it carries.
/// A message that leaves a switch also takes one of the messages that this switch passes a round, and on a half duplex link
/// one of those that the link carries in both directions together.
///
/// Callers   one task.  Cost O(1) a call.
/// Memory    8 bytes a channel ever used, in pages; hashed: 24 bytes a channel of the fullest round, times two to four.
class ChannelTable {
  public:
    /// All channels carry one message.
    explicit ChannelTable(const Topology& topology);
    /// As the machine says, whose topology must outlive the table.
    explicit ChannelTable(const Machine& machine);

    /// Clears the table. Rounds must ascend from 1. `channels`: the most that will be taken.
    void restart(Round round, std::size_t channels);

    /// Returns the node whose message took the channel that leaves v by the port, of several the first; no_node if it is
    /// free.
    [[nodiscard]] NodeId owner(NodeId v, Port port) const {
        const std::uint64_t channel = v * ports_ + port;
        if (!dense()) return hashed_owner(v, port);
        const Use& use = uses_[channel];
        return use.round == round_ ? NodeId{use.owner} : no_node;
    }
    /// Returns owner() without what the opposite channel of a half duplex link carries.
    [[nodiscard]] NodeId owner_one_way(NodeId v, Port port) const;
    /// Takes a channel for a node's message.
    void take(NodeId v, Port port, NodeId owner) {
        const std::uint64_t channel = v * ports_ + port;
        if (dense())
            uses_[channel] = {round_, static_cast<std::uint32_t>(owner)};
        else
            take_hashed(v, port, owner);
    }

  private:
    static constexpr Port dense_ports_max = 64;

    struct Use {
        Round round;
        std::uint32_t owner;
    };
    struct Slot {
        std::uint64_t channel;
        NodeId owner;
        Round round;
        std::uint32_t taken;  ///< by how many messages
    };
    [[nodiscard]] bool dense() const { return dense_; }
    [[nodiscard]] std::size_t place(std::uint64_t channel) const;
    [[nodiscard]] NodeId hashed_owner(NodeId v, Port port) const;
    void take_hashed(NodeId v, Port port, NodeId owner);
    void take_slot(std::uint64_t channel, NodeId owner);
    [[nodiscard]] NodeId owner_of_full(std::uint64_t channel, std::uint64_t capacity) const;
    [[nodiscard]] std::uint64_t passage_of(NodeId v) const { return nodes_ * ports_ + v; }
    /// The number of a half duplex link.
    [[nodiscard]] std::uint64_t link_of(NodeId v, Port port) const;
    [[nodiscard]] bool limits(NodeId v) const;

    std::uint64_t nodes_;
    Port ports_;
    bool dense_;
    const Fabric* fabric_ = nullptr;
    bool half_links_ = false;
    Port switch_limit_ = no_port;
    Round round_ = 0;
    HugeArray<Use> uses_;      ///< dense; made when the table is first used
    std::vector<Slot> slots_;  ///< hashed
};

}  // namespace kport
