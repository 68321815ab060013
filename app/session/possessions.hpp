/// @file possessions.hpp   What nodes have between the phases of a sequence, and what the messages of a phase are made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

/// What the phases of a sequence move.
enum class PhaseCargo : std::uint8_t { packets, values, signals };

/// Whether an operation moves packets, or values, as they are: broadcast, scatter, gather, allgather.
[[nodiscard]] bool moves_items(const Operation& operation);
/// Whether it is a reduction whose nodes all contribute to the same results: reduce, allreduce, reduce-scatter.
[[nodiscard]] bool folds_items(const Operation& operation);

/// Nodes that do a phase among themselves, as a machine of their own.
struct Party {
    Machine machine;
    Collective collective;

    [[nodiscard]] NodeId size() const { return machine.topology->nodes(); }
    /// Returns the node of the machine that was named.
    [[nodiscard]] NodeId node(NodeId rank) const {
        const Membership* membership = machine.topology->membership();
        return membership == nullptr ? rank : membership->nodes.node(rank);
    }
};

/// A packet of the whole, its column before its row; or a segment.
using Item = std::uint64_t;

/// What a node has: a packet, or the value of a segment.
struct Held {
    Item item = 0;
    std::uint32_t value = 0;  ///< which contributions it has (Contributions); of packets 0
};

/// What a party puts into a phase: what a packet, or a segment, of its own operation stands for.
struct Brought {
    std::vector<std::vector<Held>> of_rank;    ///< ascending by item; of reductions all have the same items
    std::unordered_map<Item, Held> of_packet;  ///< of a packet of the party
    std::vector<Item> of_row;                  ///< reductions: the segment of a row of the party
    std::vector<std::uint32_t> result_of_row;  ///< and the value that has what all have put in
    std::unordered_map<std::uint32_t, std::size_t> place_of_row;
};

/// Sets of nodes whose contributions a value has, each with a number.
class Contributions {
  public:
    /// `nodes`: ascending.
    [[nodiscard]] std::uint32_t number_of(std::vector<std::uint32_t> nodes);
    [[nodiscard]] const std::vector<std::uint32_t>& nodes(std::uint32_t number) const { return *all_[number]; }
    [[nodiscard]] std::uint32_t union_of(const std::set<std::uint32_t>& numbers);

  private:
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
    std::map<std::set<std::uint32_t>, std::uint32_t> unions_;
    std::vector<const std::vector<std::uint32_t>*> all_;
};

/// What all nodes have between the phases.
///
/// Callers   one task.
/// Memory    24 bytes for each packet, or segment, that a node has; at most 2^24 of them are given out.
/// Errors    DoesNotFit for more, and for more than 2^20 nodes.
class Possessions {
  public:
    Possessions(NodeId nodes, PhaseCargo cargo);

    /// As the whole gives it to them.
    void begin(const Collective& whole);
    /// Gives members something new, as much as the operation by itself does.
    void begin_anew(const Party& party);

    /// Whether a party has nothing to move or fold: its root, where that gives; else all its members.
    [[nodiscard]] bool is_idle(const Party& party) const;
    /// Gives the collective of a party the numbers of what its members have. Returns why that cannot be, as a clause.
    [[nodiscard]] std::optional<std::string> fit(Party& party) const;
    /// Returns what the members put in. Requires fit().
    [[nodiscard]] Brought brought(const Party& party);
    /// Returns the packets of the whole for those of a message of a party.
    [[nodiscard]] PacketSet message(const Party& party, const Brought& brought,
                                    std::span<const PacketBlock> packets) const;
    /// Returns a message without what its receiver holds already, and notes that it holds the rest.
    [[nodiscard]] PacketSet lacking(NodeId to, PacketSet packets);
    /// Gives the members what they have after the phase.
    void end(const Party& party, const Brought& brought);

  private:
    [[nodiscard]] std::string_view noun() const { return cargo_ == PhaseCargo::values ? "segment" : "packet"; }
    void count(std::uint64_t items);
    [[nodiscard]] std::optional<std::string> share(Collective& c, std::uint64_t items, NodeId members) const;
    [[nodiscard]] std::optional<std::string> fit_collected(Party& party) const;
    [[nodiscard]] std::optional<std::string> fit_reduction(Party& party) const;
    [[nodiscard]] std::optional<std::string> give(const Party& party, std::vector<std::vector<Held>>& of_rank) const;
    [[nodiscard]] bool is_result(const PacketSet& packets) const;
    [[nodiscard]] bool is_complete(std::uint32_t value) const { return contributions_.nodes(value).size() == nodes_; }
    [[nodiscard]] PacketSet of_values(const std::vector<Held>& some) const;
    void include_contributions(PacketSet& set, const Progression& segments, std::uint32_t value) const;
    [[nodiscard]] PacketSet message_of_values(const Party& party, const Brought& brought,
                                              std::span<const PacketBlock> packets) const;
    [[nodiscard]] PacketSet set_apart(PacketSet set) const;
    [[nodiscard]] std::uint32_t folded(const Brought& brought, std::size_t place);
    void end_reduction(const Party& party, const Brought& brought);

    NodeId nodes_;
    PhaseCargo cargo_;
    std::vector<std::vector<Held>> has_;  ///< ascending by item
    std::vector<PacketSet> holds_;  ///< all that came to a node, or was its own: packets, and results of the whole
    Contributions contributions_;
    Item next_item_ = 0;
    std::uint64_t items_ = 0;  ///< given out
};

}  // namespace kport
