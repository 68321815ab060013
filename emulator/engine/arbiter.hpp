/// @file arbiter.hpp   Arbitration of competing claims (model.md section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/engine/partition.hpp"
#include "emulator/engine/rank_mail.hpp"
#include "emulator/engine/route_choice.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/machine/channel_table.hpp"

namespace kport {

/// Grants the claims of a round in the fixed order: the claim that has waited since the earliest round, then the lower
/// sender, then the lower port. A message whose route the machine chooses has no port before it is granted, and counts as of
/// port 0. Used for the rounds in which claims can compete: wormhole paths, half duplex links, pairwise
/// machines, and rounds in which some node is sent more than it may receive (or, half duplex, sends and is sent more than
/// its ports take). All other rounds need no order and no arbiter.
///
/// A claim that has lost waits in a queue of its receiver, in the fixed order, and is looked at again only while that receiver
/// has a free port: so a round costs what moves and what paths keep waiting, and not what waits for ports.
///
/// Callers   one task, between the phases of the partitions.
/// Cost      O((c + r) log(c + r) + hops) for c claims of the round or looked at again, and r receivers that are waited for.
/// Memory    48 bytes a claim of the fullest round, 56 and its route a claim that waits, plus channels.
class Arbiter {
  public:
    /// Every rank arbitrates the claims of all (RankMail, to all), and moves what is its own.
    Arbiter(World& world, const AllRanks& ranks)
        : world_(world), wires_(world.topology.wires()), ranks_(ranks), waiting_at_(world.deal.partitions()),
          channels_(world.job.machine), routes_(world.job.machine),
          granted_of_all_(ranks.alone() ? 0 : world.topology.nodes()),
          granted_to_(ranks.alone() ? world.claims : granted_of_all_),
          met_(world.job.machine.pairwise ? world.topology.nodes() : 0) {}

    [[nodiscard]] bool anything_waits() const { return !queues_.empty(); }
    /// The partitions of the senders and receivers of the claims that wait.
    [[nodiscard]] const std::vector<unsigned>& waiting_partitions() const { return waiting_partitions_; }

    /// Grants what may move of the mail of this round and of what waits from earlier ones, shows it to the auditor and
    /// delivers it. The rest waits.
    void serve(Round round, Partition::Partitions& partitions, const RankMail& mail);
    /// Ends the messages that still wait.
    void discard(Partition::Partitions& partitions);

  private:
    struct Claim {
        Message message;
        Round since;
        Port first_port;
        std::uint32_t hops;
        const Port* ports;  ///< of more than one hop
        bool chooses;  ///< its route is chosen when it is granted; until then `first_port` is 0 and `hops` a number

        [[nodiscard]] std::span<const Port> route() const { return {hops == 1 ? &first_port : ports, hops}; }
        [[nodiscard]] auto order() const { return std::tuple(since, message.from, first_port, message.to); }
    };
    struct WaitingClaim {
        Claim claim;
        std::unique_ptr<Port[]> route;  ///< claim.ports
    };
    /// The claims that wait for one receiver, in order.
    struct Queue {
        std::vector<WaitingClaim> claims;
        std::size_t begin = 0;  ///< those before have moved
        std::size_t next = 0;   ///< those before were looked at in this round
    };
    /// The blocking claim; `none`: the claim is free to move.
    struct Obstacle {
        enum class Kind : std::uint8_t { none, ports, partner, channel, link } kind = Kind::none;
        NodeId node = no_node;
        Port port = no_port;
        NodeId winner = no_node;
    };

    void gather(Round round, const Partition::Partitions& partitions, const RankMail& mail);
    void add_claim(Round round, const Message& message, std::span<const Port> route);
    void grant(Round round, Partition::Partitions& partitions);
    void grant_waiting(Round round, Partition::Partitions& partitions);
    void let_wait(const Claim& claim, Partition& sender);
    void count_waiting(const Claim& claim, std::ptrdiff_t change);
    [[nodiscard]] bool has_free_port(NodeId receiver) const;
    /// Returns what is in the way; a claim that chooses its route has one where nothing is.
    [[nodiscard]] Obstacle obstacle(Claim& claim);
    [[nodiscard]] Obstacle obstacle_at_ends(const Claim& claim) const;
    [[nodiscard]] Obstacle obstacle_on_path(const Claim& claim) const;
    [[nodiscard]] Obstacle obstacle_at(NodeId at, Port port) const;
    /// Gives the claim the first of its shortest routes that is free. Where there is none, returns what is in the way of the
    /// first of all.
    [[nodiscard]] Obstacle choose_route(Claim& claim);
    /// Gives the claim the route, which lives as long as the arbiter keeps those of granted claims.
    void put_route(Claim& claim, const std::vector<Port>& route);
    void take(const Claim& claim, Round round);
    /// Calls visit(node, port) for each channel of the path until it returns false.
    template <class Visit>
    void walk(const Claim& claim, Visit&& visit) const;
    void report_strict(const Partition& sender, const Claim& claim, const Obstacle& obstacle, Round round);
    void move(Round round, Partition::Partitions& partitions);
    void end_round();

    World& world_;
    const Topology& wires_;
    const AllRanks& ranks_;
    std::vector<Claim> claims_;  ///< of this round
    std::vector<Claim> granted_;
    std::vector<std::unique_ptr<Port[]>> granted_routes_;  ///< of those that had waited, or had none
    std::unordered_map<NodeId, Queue> queues_;             ///< by receiver; none is empty
    std::size_t waiting_hops_ = 0;
    std::vector<std::size_t> waiting_at_;  ///< by partition: ends of claims that wait
    std::vector<unsigned> waiting_partitions_;
    ChannelTable channels_;
    RouteChoice routes_;
    std::vector<Port> chosen_;          ///< the last route
    NodeArray<Claims> granted_of_all_;  ///< several ranks: of nodes of all of them
    NodeArray<Claims>& granted_to_;     ///< how many messages were granted to a node in this round
    /// A node's partner, and in which round.
    struct Met {
        Round round;
        std::uint32_t partner;
    };
    HugeArray<Met> met_;  ///< pairwise machines
    Round round_ = 0;
    std::unordered_map<NodeId, NodeId> first_at_;  ///< strict: the sender of the first message at a node's ports
};

}  // namespace kport
