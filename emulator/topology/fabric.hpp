/// @file fabric.hpp   Hosts, switches and trunks: the links that messages take between hosts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// A connected graph of hosts 0 .. hosts()-1, which compute, and switches, which hand messages on. A link of capacity c
/// (a trunk) carries c messages a round each way. A store-and-forward message passes switches only; over how many does
/// not matter.
///
/// As a topology (across(), distance(), ...) it is the plain graph of all its nodes; hosts_of() makes the graph on which
/// collectives run.
///
/// Callers   any thread.
/// Memory    besides the graph: 4 bytes a node for each of the last targets of route_of_message() on machines without a
///           rule for routes.
class Fabric : public Topology {
  public:
    [[nodiscard]] NodeId hosts() const { return hosts_; }
    [[nodiscard]] NodeId switches() const { return nodes() - hosts_; }
    [[nodiscard]] bool is_switch(NodeId v) const { return v >= hosts_; }

    /// Returns how many messages the link of v by port p carries a round in each direction.
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override;
    /// Returns the sum of the capacities of v's links: the most messages that a host can send in a round.
    [[nodiscard]] std::uint64_t width(NodeId v) const;
    /// Returns the largest width of a host.
    [[nodiscard]] virtual std::uint64_t max_width() const;
    /// Returns the sum of the capacities of all links, both directions. O(channels) by default.
    [[nodiscard]] virtual std::uint64_t capacities() const;
    [[nodiscard]] bool has_trunks() const override { return capacities() != channels(); }

    /// Returns the links of the shortest path from a node to a host whose inner nodes are switches, which one
    /// store-and-forward message takes; nothing where there is none.
    [[nodiscard]] virtual std::optional<Hops> one_message(NodeId from, NodeId to) const;
    /// Returns the port by which the fixed route of a store-and-forward message to the host `to` leaves `at`: the lowest
    /// whose neighbour is nearer through switches; no_port where there is none.
    [[nodiscard]] virtual Port route_through_switches(NodeId at, NodeId to) const;
    /// Appends the fixed route of a message: through switches only, or (`any`: wormhole) through any nodes.
    void append_route(NodeId from, NodeId to, bool any, std::vector<Port>& route) const;

    /// Whether one store-and-forward message reaches every host from every other. By default a search of the switches.
    [[nodiscard]] virtual bool joins_all_hosts() const;
    /// Returns sets of nodes with few links to the others, as far as the family knows them: subtrees.
    [[nodiscard]] virtual std::vector<std::vector<NodeId>> parts() const;
    /// Returns the hosts that one store-and-forward message from v reaches, ascending.
    [[nodiscard]] std::vector<std::uint32_t> hosts_one_message_from(NodeId v) const;

  protected:
    Fabric(std::string spec, NodeId hosts, NodeId switches, Port ports);

  private:
    using Table = std::vector<std::uint32_t>;

    /// Returns the links to a host, through switches only, from every node that has such a path.
    [[nodiscard]] std::shared_ptr<const Table> ways_to(NodeId to) const;

    NodeId hosts_;
    mutable std::mutex mutex_;
    mutable std::map<NodeId, std::shared_ptr<const Table>> ways_;
};

/// A fabric given by its links.
/// Memory   24 bytes a channel, 8 a node, and the names.
class StoredFabric : public Fabric {
  public:
    struct Link {
        NodeId a;
        Port port_of_a;
        NodeId b;
        Port port_of_b;
        std::uint64_t capacity = 1;  ///< 0: both ports are labels without a link
    };
    struct Shape {
        std::string spec;
        NodeId hosts;
        NodeId switches;
    };

    /// `links`: each pair of nodes once, each port of a node once; they connect all. `names`: none, or one for each node.
    StoredFabric(Shape shape, const std::vector<Link>& links, std::vector<std::string> names = {});

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override;
    [[nodiscard]] Port labels(NodeId v) const override { return static_cast<Port>(first_[v + 1] - first_[v]); }
    [[nodiscard]] Port labels_in_use() const override;
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override;
    [[nodiscard]] std::string own_label(NodeId v) const override;
    [[nodiscard]] NodeId own_node(std::string_view text) const override;

  private:
    struct End {
        NodeId node = no_node;
        Port port = no_port;
        std::uint32_t capacity = 0;
    };

    std::vector<std::uint64_t> first_;  ///< index of a node's first label; N + 1 entries
    std::vector<End> ends_;
    std::vector<std::string> names_;
    std::map<std::string, NodeId, std::less<>> by_name_;
};

/// Merges links between the same pair of nodes: the first keeps its ports, capacities add up. The others have capacity 0.
[[nodiscard]] std::vector<StoredFabric::Link> merged(const std::vector<StoredFabric::Link>& links);

/// Returns the graph of the hosts of a fabric, on which collectives run. Complete where the fabric joins all hosts; else
/// it is found by a search from every host and stored: 4 bytes for each two hosts that are one message apart. Throws
/// DoesNotFit where that takes too long. `membership`: of which larger machine the hosts are members; null: of none.
[[nodiscard]] std::shared_ptr<const Topology> hosts_of(const std::shared_ptr<const Fabric>& fabric,
                                                       std::shared_ptr<const Membership> membership = nullptr);

/// Whether messages may pass switches.
[[nodiscard]] bool has_switches(const Topology& topology);

/// A graph as a machine without switches, on which a link carries as many messages a round as Topology::capacity() says.
class TrunkedGraph final : public Fabric {
  public:
    explicit TrunkedGraph(std::shared_ptr<const Topology> graph);

    [[nodiscard]] const Topology& graph() const { return *graph_; }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override { return graph_->across(v, p); }
    [[nodiscard]] Port labels(NodeId v) const override { return graph_->labels(v); }
    [[nodiscard]] Port labels_in_use() const override { return graph_->labels_in_use(); }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override { return graph_->port_to(v, w); }
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override;
    [[nodiscard]] bool has_trunks() const override { return true; }
    [[nodiscard]] Port degree(NodeId v) const override { return graph_->degree(v); }
    [[nodiscard]] Port max_degree() const override { return graph_->max_degree(); }
    [[nodiscard]] std::uint64_t channels() const override { return graph_->channels(); }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override { return graph_->distance(v, w); }
    [[nodiscard]] Hops eccentricity(NodeId v) const override { return graph_->eccentricity(v); }
    [[nodiscard]] Hops diameter() const override { return graph_->diameter(); }
    [[nodiscard]] Hops radius() const override { return graph_->radius(); }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        return graph_->distance_profile(v);
    }
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId v) const override { return graph_->sum_of_distances(v); }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return graph_->vertex_symmetry(); }
    [[nodiscard]] bool bipartite() const override { return graph_->bipartite(); }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override { return graph_->route(at, to); }

    [[nodiscard]] std::optional<Hops> one_message(NodeId from, NodeId to) const override;
    [[nodiscard]] Port route_through_switches(NodeId at, NodeId to) const override { return graph_->port_to(at, to); }

  protected:
    [[nodiscard]] std::string own_label(NodeId v) const override { return graph_->label(v); }
    [[nodiscard]] NodeId own_node(std::string_view text) const override { return graph_->node(text); }

  private:
    std::shared_ptr<const Topology> graph_;
};

/// Returns the graph itself, or where it has trunks the machine on which collectives run.
[[nodiscard]] std::shared_ptr<const Topology> with_trunks(std::shared_ptr<const Topology> graph);

/// Returns the graph of links of a machine without switches, with capacities; null where there are switches.
[[nodiscard]] std::shared_ptr<const Topology> links_without_switches(const std::shared_ptr<const Topology>& machine);

}  // namespace kport
