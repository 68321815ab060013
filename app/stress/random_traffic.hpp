/// @file random_traffic.hpp   Random programs with competing claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "app/stress/subject.hpp"
#include "emulator/base/random.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// Every packet of the operation travels along its own tree from its owner to the nodes that must hold it; in a
/// reduction, values travel along one tree to the root. Trees, routes, bundles and the order of sends and receives are
/// drawn from the seed of the case. Programs do not check whether a port or a channel is free, so claims compete as in
/// no algorithm of the catalogue. Every run on a queueing machine is lawful, since a node receives a packet once, from
/// its parent in the tree. Under the strict policy every wait is a violation, by design (Subject::breaks). Some
/// programs let rounds pass before a step.
///
/// A program throws if it receives a message that was not sent to it, by the wrong port, or in the round in which it
/// was sent.
/// Half of the programs receive from the sender given by the order, half take whatever comes first.
///
/// Operations   all but scan and allreduce; reduce with commutative operators only. On machines on which a packet's
///              tree has at most random_traffic_messages_max links.
/// Memory       a tree a packet.
[[nodiscard]] Subject random_traffic();

/// Random traffic in which packets come again to nodes that had them, are sent before they have come or after they were
/// passed on, nodes leave a barrier early, and some wait for ever. This breaks NODUP, NOHO and delivery by design:
/// reports must not depend on engine, order or partitions. No reductions.
[[nodiscard]] Subject random_gossip();
/// Returns both.
[[nodiscard]] std::vector<Subject> random_subjects();

inline constexpr std::string_view random_traffic_name = "random-traffic";
inline constexpr std::string_view random_gossip_name = "random-gossip";
inline constexpr std::uint64_t random_traffic_messages_max = 1024;

/// Messages in an order in which everything could happen one after the other: so no program waits for ever, in whatever
/// order claims are granted. Drawn from the seed of the case.
///
/// Callers   any number of tasks: immutable after construction.
class RandomPlan {
  public:
    using Route = std::vector<Port>;

    struct Message {
        NodeId from;
        NodeId to;
        PacketSet packets;
        bool passed = false;  ///< the sender passes the packets on (Cargo::passed())
    };

    /// A node's next step: it starts a message, or receives one.
    struct Step {
        std::size_t message;
        bool sends;
        Round pause = 0;  ///< rounds that it lets pass before
    };

    /// `repeats`: packets come again, are sent before they come or after they were passed on, and some node waits for
    /// ever.
    RandomPlan(const Case& c, bool repeats);

    [[nodiscard]] bool takes_any() const { return takes_any_; }
    /// Whether consecutive sends are declared to belong to one round.
    [[nodiscard]] bool declares() const { return declares_; }
    /// Whether nodes that do not start by themselves begin with a receive from the sender given by the order
    /// (Job::others_receive).
    [[nodiscard]] bool others_receive() const { return others_receive_; }
    /// Whether rounds are passed by Node::until(), else one after the other.
    [[nodiscard]] bool sleeps() const { return sleeps_; }
    /// Whether some node takes any message first, and gets messages from several senders.
    [[nodiscard]] bool depends_on_order() const;
    [[nodiscard]] const Message& message(std::size_t m) const { return messages_[m]; }
    [[nodiscard]] const std::vector<Step>& steps(NodeId v) const { return steps_[v]; }
    [[nodiscard]] const Route& route(const Message& message) const { return routes_.at({message.from, message.to}); }
    [[nodiscard]] bool reduces() const { return collective_.folds(); }
    [[nodiscard]] bool wormhole() const { return machine_.switching == Switching::wormhole; }
    /// Whether messages name their routes: on wormhole machines and through switches.
    [[nodiscard]] bool routes_messages() const { return machine_.has_paths(); }
    [[nodiscard]] NodeId root() const { return collective_.root; }
    [[nodiscard]] PacketSet owned_by(NodeId v) const { return collective_.owned(v, nodes_); }
    [[nodiscard]] bool broadcasts() const { return collective_.one_packet(); }

    /// Returns the round in which a node that starts by itself begins.
    [[nodiscard]] Round begins(NodeId v) const { return begins_[v]; }
    /// Whether the node receives once more than it is sent to.
    [[nodiscard]] bool waits_in_vain(NodeId v) const { return waits_in_vain_.contains(v); }

    /// Returns the nodes whose first step is a send, unless they must wait for their first message.
    [[nodiscard]] std::vector<NodeId> starters() const;

  private:
    struct Edge {
        NodeId from;
        NodeId to;
        PacketBlock packet;
        std::size_t parent;  ///< index of the edge by which the sender gets the packet; none: it owns it
    };
    static constexpr std::size_t none = ~std::size_t{0};

    void draw_steps(NodeId v);
    /// A node that starts with its first message may send what it owns before it receives anything. The order of its
    /// sends stays.
    void send_own_first(NodeId v);
    /// The node does not receive the last message.
    void leave_last(NodeId v);

    /// Returns parent[v] of a tree from `root` that contains at least `wanted`; no_node outside. On a wormhole machine
    /// any two nodes may be neighbours in the tree.
    std::vector<NodeId> tree(NodeId root, const std::vector<NodeId>& wanted);
    std::vector<NodeId> shuffled(std::vector<NodeId> nodes);

    void plan_packets();
    void add_edges(NodeId owner, const PacketBlock& packet, const std::vector<NodeId>& parent,
                   std::vector<Edge>& edges);
    /// Some nodes that have the packet send it to nodes that have it, or had it.
    void repeat(NodeId owner, const PacketBlock& packet, const std::vector<NodeId>& parent, std::vector<Edge>& edges);
    /// Chooses any order in which each node sends a packet after it came; messages ready for the same receiver may be
    /// joined.
    void put_in_order(const std::vector<Edge>& edges);

    /// Values go up the tree: a node's own after all that it receives.
    void plan_values();

    void add(Message message);
    /// Returns the topology's route, or one via another node. Always the same for two nodes, so that no message
    /// overtakes another.
    Route drawn_route(NodeId from, NodeId to);
    /// Returns a random first link and the fabric's route from there; its own route where none leads on.
    [[nodiscard]] Route fabric_route(NodeId from, NodeId to, Port first) const;
    [[nodiscard]] Route own_route(NodeId from, NodeId to) const;
    [[nodiscard]] bool is_simple(NodeId at, const Route& route) const;

    Machine machine_;
    const Topology& topology_;
    Collective collective_;
    NodeId nodes_;
    Dice dice_;
    bool repeats_;  ///< packets come more than once
    bool takes_any_;
    bool declares_;
    bool others_receive_;
    bool sleeps_;
    double pausing_;  ///< the probability of a pause before a step
    std::vector<Message> messages_;
    std::map<std::pair<NodeId, NodeId>, Route> routes_;
    std::vector<std::vector<Step>> steps_;
    std::set<NodeId> waits_for_mail_;
    std::set<NodeId> waits_in_vain_;
    std::vector<Round> begins_;
};

}  // namespace kport
