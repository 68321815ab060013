/// @file world.hpp   What the partitions of a lockstep run share.
#pragma once

#include <cstdint>

#include "emulator/audit/auditor.hpp"
#include "emulator/audit/round_sink.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/engine/few_messages.hpp"
#include "emulator/engine/stage.hpp"
#include "emulator/node/forwarding.hpp"

namespace kport {

/// How many messages ask to be received by a node, or were granted to it, in a round.
class Claims {
  public:
    /// Counts one more of this round and returns how many there are.
    std::uint32_t add(Round round) {
        if (round_ != round) restart(round);
        return ++count_;
    }
    void restart(Round round) {
        round_ = round;
        count_ = 0;
    }
    [[nodiscard]] std::uint32_t count(Round round) const { return round_ == round ? count_ : 0; }

  private:
    Round round_;
    std::uint32_t count_;
};

/// Nodes are dealt to partitions in blocks of consecutive numbers, in turn. The deal does not depend on the threads, so
/// that the order in which anything happens is the same on any number of them.
class Deal {
  public:
    /// A block has at least `partition_nodes` >= 1 nodes, a power of two.
    explicit Deal(NodeId nodes, NodeId partition_nodes = partition_nodes_default);
    [[nodiscard]] unsigned partitions() const { return mask_ + 1; }
    [[nodiscard]] NodeId block() const { return NodeId{1} << block_bits_; }
    [[nodiscard]] unsigned home(NodeId v) const { return static_cast<unsigned>(v >> block_bits_) & mask_; }

    /// The nodes of some partitions, a bit each.
    [[nodiscard]] NodeShare share(std::uint64_t own) const { return {block_bits_, partitions(), own}; }

    /// Calls visit(v) for each node of a partition, of so many nodes in all.
    template <class Visit>
    void for_each(unsigned partition, NodeId nodes, Visit&& visit) const {
        share(std::uint64_t{1} << partition).for_each(nodes, visit);
    }

  private:
    static constexpr unsigned partitions_max = 64;
    unsigned block_bits_;
    unsigned mask_;
};

/// Everything that the partitions share. Slots, bytes and audit records of a node are touched by the task of its
/// partition alone, except in the phases that run on one thread.
struct World : Stage {
    World(const Job& job, const RunOptions& options);

    Deal deal;
    HugeArray<Claims> claims;  ///< touched where a receiver may be sent more than it takes
    Auditor auditor;
    RoundSink rounds;
    FewMessages few;  ///< of a small round
    bool records_asked;
    Order* order;  ///< null: the nodes of a round run as it comes
    /// All that a node of this run does; null: nodes have programs.
    const Forwarding* forwarding;

    /// Memory a node, before anything it holds or does.
    static constexpr std::uint64_t bytes_per_node = sizeof(Slot) + sizeof(Claims) + Auditor::bytes_per_node;
};

}  // namespace kport
