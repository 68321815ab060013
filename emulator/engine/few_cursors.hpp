/// @file few_cursors.hpp   Small rounds of nodes that only forward a packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/engine/partition.hpp"
#include "emulator/engine/world.hpp"

namespace kport {

/// The cursors of all partitions (engine/partition_forwarding.cpp) in one list, for as long as there are few: then a round is a
/// loop over them and one over their messages.
///
/// Callers   one task, between the rounds of the engine (engine/small_rounds.hpp).
class FewCursors {
  public:
    FewCursors(World& world, const Partition::Partitions& partitions) : world_(world), partitions_(partitions) {}

    /// Takes the cursors of these partitions, a bit each. False if there are none, more than `most`, or a node that starts by
    /// itself: then all is as it was.
    [[nodiscard]] bool take(std::uint64_t partitions, std::size_t most);
    [[nodiscard]] std::size_t size() const { return arrived_.size() + going_.size(); }

    /// They send what they may in this round, into World::few. False if one failed; its partition has noted that.
    [[nodiscard]] bool send(Round round);
    /// Instead of deliver(), where the messages go into mailboxes. Returns the partitions of the cursors that had to send, a bit each.
    [[nodiscard]] std::uint64_t forget_senders();
    /// The messages come to their nodes. Returns the partitions that showed them to the auditor, a bit each.
    [[nodiscard]] std::uint64_t deliver(Round round);

    /// Back to their partitions, which are returned, a bit each.
    std::uint64_t give_back();

  private:
    void arrive(const Message& message);
    [[nodiscard]] std::uint64_t bit_of(NodeId v) const { return std::uint64_t{1} << world_.deal.home(v); }

    World& world_;
    const Partition::Partitions& partitions_;
    std::vector<Cursor> arrived_;  ///< nodes to which the packet came in the last round
    std::vector<Cursor> going_;    ///< nodes that go on sending in the next round
    std::vector<Cursor> going_before_;
};

}  // namespace kport
