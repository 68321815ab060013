/// @file moves.hpp   A schedule that can be changed anywhere.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A transfer that owns its path and its packets.
struct Move {
    Round round = 0;
    NodeId from = no_node;
    NodeId to = no_node;
    std::vector<Port> route;
    PacketSet packets;
};

/// The transfers of a schedule by index, sender and receiver. Indices stay valid when moves are added or removed.
class Moves {
  public:
    Moves(const Schedule& schedule, const Machine& machine, const Collective& collective);

    [[nodiscard]] const Machine& machine() const { return machine_; }
    [[nodiscard]] const Topology& topology() const { return *machine_.topology; }
    /// The graph of the links along which routes lead.
    [[nodiscard]] const Topology& wires() const { return topology().wires(); }
    [[nodiscard]] const Collective& collective() const { return collective_; }
    /// The number of transfers of the schedule; added ones have higher indices.
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Move& operator[](std::size_t i) { return moves_[i]; }
    [[nodiscard]] const Move& operator[](std::size_t i) const { return moves_[i]; }

    void add(Move move) { moves_.push_back(std::move(move)); }
    /// Removes a move. Returns its packets.
    PacketSet take_out(std::size_t i) { return std::exchange(moves_[i].packets, {}); }
    /// Inserts a silent round before this one.
    void put_off(Round from);

    /// Returns the indices of a node's sends or receives, in the order of the schedule.
    [[nodiscard]] const std::vector<std::size_t>& sent_by(NodeId v) const { return by_sender_[v]; }
    [[nodiscard]] const std::vector<std::size_t>& received_by(NodeId v) const { return by_receiver_[v]; }
    [[nodiscard]] std::size_t sends(NodeId v, Round round) const;
    [[nodiscard]] std::size_t receives(NodeId v, Round round) const;
    /// Returns the packets that a node may send in a round: its own and those received before.
    [[nodiscard]] PacketSet held(NodeId v, Round round) const;
    /// Returns the first later transfer by which the receiver of the i-th passes on some of its packets.
    [[nodiscard]] std::optional<std::size_t> passed_on(std::size_t i) const;

    /// Converts back to a schedule. `places`: indices here, converted to indices in the schedule; for a removed
    /// transfer, the schedule's size. O(n log n).
    [[nodiscard]] Schedule schedule(std::vector<std::size_t>& places) const;

  private:
    const Machine& machine_;
    Collective collective_;
    std::vector<Move> moves_;
    std::vector<Silence> silences_;
    std::size_t size_;
    std::vector<std::vector<std::size_t>> by_sender_;
    std::vector<std::vector<std::size_t>> by_receiver_;
};

/// Returns the numbers of packets, where a row has that many.
[[nodiscard]] std::vector<PacketId> numbers(std::span<const PacketBlock> packets, NodeId columns);

}  // namespace kport
