/// @file arbiter.hpp   Arbitration of competing claims (model.md section 8).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/engine/partition.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/machine/channel_table.hpp"

namespace kport {

/// Grants the claims of a round in the fixed order: the claim that has waited since the earliest round, then the lower
/// sender, then the lower port. Used for the rounds in which claims can compete: wormhole paths, half duplex links, pairwise
/// machines, and rounds in which some node is sent more than it may receive (or, half duplex, sends and is sent more than
/// its ports take). All other rounds need no order and no arbiter.
///
/// Callers   one task, between the phases of the partitions.
/// Cost      O(c log c + hops) for c claims.
/// Memory    48 bytes a claim of the fullest round, plus routes and channels.
class Arbiter {
  public:
    explicit Arbiter(World& world)
        : world_(world), channels_(world.topology), met_(world.job.machine.pairwise ? world.topology.nodes() : 0) {}

    [[nodiscard]] bool anything_waits() const { return !claims_.empty(); }
    /// The partitions of the senders and receivers of the claims that wait; some of them several times.
    [[nodiscard]] const std::vector<unsigned>& waiting_partitions() const { return waiting_partitions_; }

    /// Grants what may move of the mail of this round and of what waits from earlier ones, shows it to the auditor and
    /// delivers it. The rest waits.
    void serve(Round round, Partition::Partitions& partitions);
    /// Ends the messages that still wait.
    void discard(Partition::Partitions& partitions);

  private:
    struct Claim {
        Message message;
        Round since;
        Port first_port;
        std::uint64_t route_begin;  ///< in routes_
        std::uint32_t hops;
    };
    /// The blocking claim; `none`: the claim is free to move.
    struct Obstacle {
        enum class Kind : std::uint8_t { none, ports, partner, channel, link } kind = Kind::none;
        NodeId node = no_node;
        Port port = no_port;
        NodeId winner = no_node;
    };

    void gather(Round round, Partition::Partitions& partitions);
    void grant(Round round, Partition::Partitions& partitions);
    [[nodiscard]] Obstacle obstacle(const Claim& claim) const;
    [[nodiscard]] Obstacle obstacle_at_ends(const Claim& claim) const;
    [[nodiscard]] Obstacle obstacle_on_path(const Claim& claim) const;
    void take(const Claim& claim, Round round);
    /// Calls visit(node, port) for each channel of the path until it returns false.
    template <class Visit>
    void walk(const Claim& claim, Visit&& visit) const;
    void report_strict(const Partition& sender, const Claim& claim, const Obstacle& obstacle, Round round);
    void move(Round round, Partition::Partitions& partitions);
    void keep_waiting();

    World& world_;
    std::vector<Claim> claims_;  ///< waiting from earlier rounds; in serve() all of the round
    std::vector<Claim> granted_;
    std::vector<Claim> waiting_;
    std::vector<unsigned> waiting_partitions_;
    std::vector<Port> routes_;
    std::vector<Port> routes_of_waiting_;
    ChannelTable channels_;
    /// Whom a node meets, and in which round.
    struct Met {
        Round round;
        std::uint32_t partner;
    };
    HugeArray<Met> met_;  ///< pairwise machines
    Round round_ = 0;
    std::unordered_map<NodeId, NodeId> first_at_;  ///< strict: the first sender that a receiver was granted
};

}  // namespace kport
