/// @file topology.hpp   Graphs: nodes, ports, links, routes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// The most nodes that a specification may name.
inline constexpr NodeId nodes_max = NodeId{1} << 40;

/// The end of a channel: the node it leads to, and that node's port for the opposite channel.
struct LinkEnd {
    NodeId node = no_node;
    Port port = no_port;

    bool operator==(const LinkEnd&) const = default;
};

/// A schedule that is published, or known for a family: its rounds and its source.
struct PublishedSchedule {
    std::uint64_t rounds;
    std::string_view by;
    bool exact = false;  ///< proven: no schedule takes fewer rounds
};

class Fabric;       // emulator/topology/fabric.hpp
struct Membership;  // emulator/topology/members.hpp

/// A connected undirected graph whose links are pairs of opposite channels (model.md section 1).
///
/// All nodes of a topology compute: they are the ranks of a collective, N of every formula. Where messages pass switches,
/// or links have capacities, a topology is the graph of the hosts: a link joins two hosts that are one message apart, and
/// the links that messages take are those of wires(), whose first nodes() nodes are the hosts. Programs, packets and
/// collectives use the hosts and their ports here; channels, paths, schedules and pictures use wires(). Elsewhere both
/// are the same graph.
///
/// A directed channel is named by (node, port): the channel that leaves the node by the port. A family defines how
/// nodes and ports are numbered (across()) and overrides what it knows by a formula. The rest uses breadth-first
/// search: a search keeps 4 bytes a node, runs once for each source asked for, and throws DoesNotFit if there is not
/// enough memory. Families with formulas store nothing that grows with N, so 2^40 nodes cost no memory.
///
/// Callers   any thread; a topology is immutable, apart from caches.
/// Cost      with a formula O(1) or O(dimensions) a call; with a search O(channels) the first time, then O(1).
///           Allocates only if a container is returned or a search is made.
/// Errors    node < nodes() and port < ports() are preconditions and not checked in these hot functions.
class Topology {
  public:
    virtual ~Topology();
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    /// Returns the canonical specification, as the command line takes it: "mesh:4x5".
    [[nodiscard]] const std::string& spec() const { return spec_; }
    /// Returns the family's name: "mesh".
    [[nodiscard]] std::string_view family() const {
        return std::string_view(spec_).substr(0, spec_.find_first_of(":("));
    }
    /// N >= 1; only hosts count.
    [[nodiscard]] NodeId nodes() const { return nodes_; }
    /// Returns the graph of the links that messages take: hosts, then switches; this graph where there are no switches.
    [[nodiscard]] const Topology& wires() const { return *wires_; }
    /// Returns wires() with its switches, capacities and routes; null where each message of a store-and-forward machine
    /// crosses one link, and each link carries one message.
    [[nodiscard]] const Fabric* fabric() const { return fabric_.get(); }
    /// Returns how many messages the links of host v carry a round in each direction: its degree, or in a fabric the sum
    /// of their capacities.
    [[nodiscard]] Port width(NodeId v) const { return fabric_ == nullptr ? degree(v) : width_in_fabric(v); }
    /// Returns the largest width of a host.
    [[nodiscard]] Port max_width() const { return fabric_ == nullptr ? max_degree() : max_width_in_fabric(); }
    /// Ports are labelled 0 .. ports()-1; a node may lack some (see across()).
    [[nodiscard]] Port ports() const { return ports_; }
    /// Returns the end of the labels of v: ports() by default; its degree where a family numbers the ports of each node
    /// separately. In a product the ports of the next factor begin there.
    [[nodiscard]] virtual Port labels(NodeId) const { return ports_; }

    /// Returns the end of the labels that nodes have: less than ports() where a rule leaves the last labels to no node of this
    /// member of a family.
    [[nodiscard]] virtual Port labels_in_use() const { return ports_; }

    /// Returns the end of the channel that leaves v by port p; {no_node, no_port} where v has no such port.
    [[nodiscard]] virtual LinkEnd across(NodeId v, Port p) const = 0;
    /// Returns the port of v that leads to w; no_port unless they are neighbours. By default O(ports).
    [[nodiscard]] virtual Port port_to(NodeId v, NodeId w) const;
    /// Returns how many parallel links the link at port p of v stands for: 1, or more for a trunk. v has the port.
    [[nodiscard]] virtual std::uint64_t capacity(NodeId, Port) const { return 1; }
    /// Whether a link is a trunk.
    [[nodiscard]] virtual bool has_trunks() const { return false; }
    /// Returns the number of links of v. By default O(ports).
    [[nodiscard]] virtual Port degree(NodeId v) const;
    /// By default visits all ports once; in vertex-transitive graphs those of node 0.
    [[nodiscard]] virtual Port max_degree() const;
    /// Returns the number of directed channels: twice the links. By default as max_degree().
    [[nodiscard]] virtual std::uint64_t channels() const;

    /// Returns the number of links on a shortest path. By default a search from v, or from node 0 where seen_from() is
    /// known.
    [[nodiscard]] virtual Hops distance(NodeId v, NodeId w) const;
    /// Returns ecc(v): distance to the farthest node. By default a search from v, in vertex-transitive graphs from node
    /// 0.
    [[nodiscard]] virtual Hops eccentricity(NodeId v) const;
    /// By default a search from every node, in vertex-transitive graphs from node 0. Throws DoesNotFit if the searches
    /// would take minutes.
    [[nodiscard]] virtual Hops diameter() const;
    /// Returns the least eccentricity. By default as diameter().
    [[nodiscard]] virtual Hops radius() const;
    /// Returns n(d) = number of nodes at distance exactly d from v, for d = 0 .. ecc(v). By formula O(ecc(v) *
    /// dimensions).
    [[nodiscard]] virtual std::vector<std::uint64_t> distance_profile(NodeId v) const;
    /// Returns the sum of the distances from v to all nodes. By default from the profile. Throws DoesNotFit where the
    /// sum needs more than 64 bits (such as lines beyond 2^32 nodes).
    [[nodiscard]] virtual std::uint64_t sum_of_distances(NodeId v) const;
    /// Whether the graph is vertex-transitive (then ecc(v) = diameter for all v); nothing if unknown. By default
    /// automorphisms are searched for in graphs of up to 256 nodes, within a time limit.
    [[nodiscard]] virtual std::optional<bool> vertex_symmetry() const;
    /// Whether the graph is known to be vertex-transitive.
    [[nodiscard]] bool vertex_symmetric() const { return vertex_symmetry().value_or(false); }
    /// Whether the graph is two-colourable, i.e. has no odd cycle. By default a search from node 0.
    [[nodiscard]] virtual bool bipartite() const;

    /// Returns the port by which the deterministic shortest path from `at` to `to` (at != to) leaves `at`: the lowest
    /// whose neighbour is nearer to `to`. That is e-cube on hypercubes, dimension-ordered on meshes and tori (on an
    /// even ring with two shortest paths, the + direction), the tree path on trees.
    [[nodiscard]] virtual Port route(NodeId at, NodeId to) const;

    /// Returns the fewest published rounds of a broadcast from v, for one port and messages that cross one link;
    /// nothing by default.
    [[nodiscard]] virtual std::optional<PublishedSchedule> published_broadcast(NodeId v) const;

    /// Returns which nodes of a larger machine these are; null where they are all.
    [[nodiscard]] const Membership* membership() const { return membership_.get(); }
    /// Returns the number of a node for reports: of a member that in the larger machine.
    [[nodiscard]] NodeId number(NodeId v) const { return membership_ == nullptr ? v : number_of_member(v); }
    /// Returns what a node is called besides its number: its coordinates "1,2", its name in a file; empty where it has
    /// neither.
    [[nodiscard]] std::string label(NodeId v) const;
    /// Returns the node for reports: "5", or "5 (1,2)" with its label.
    [[nodiscard]] std::string name(NodeId v) const;
    /// Reads a node as an id or as a label, of a member in the larger machine. Throws RequestError with the allowed forms.
    [[nodiscard]] NodeId node(std::string_view text) const;
    /// Makes the nodes members of a larger machine, whose numbers and names they have in reports. For machine_of_members(), before
    /// the topology is shared.
    void belong_to(std::shared_ptr<const Membership> membership);

  protected:
    Topology(std::string spec, NodeId nodes, Port ports);

    /// For the graph of hosts of a fabric: messages take its links.
    void lay_on(std::shared_ptr<const Fabric> fabric);

    /// Returns label() of a node that belongs to no larger machine.
    [[nodiscard]] virtual std::string own_label(NodeId v) const;
    /// Reads a node as node() does where nodes belong to no larger machine.
    [[nodiscard]] virtual NodeId own_node(std::string_view text) const;

    /// Returns the image of w under an automorphism that takes v to node 0, where the family knows one for every v:
    /// then one search from node 0 gives all distances. no_node if it does not.
    [[nodiscard]] virtual NodeId seen_from(NodeId v, NodeId w) const;

    /// For overrides of own_node(): throws the RequestError that lists the valid nodes; `also` ends the sentence.
    [[noreturn]] void refuse_node(std::string_view text, std::string_view also = {}) const;

  private:
    class Searches;

    [[nodiscard]] Port width_in_fabric(NodeId v) const;
    [[nodiscard]] Port max_width_in_fabric() const;
    [[nodiscard]] NodeId number_of_member(NodeId v) const;

    std::string spec_;
    NodeId nodes_;
    Port ports_;
    const Topology* wires_ = this;
    std::shared_ptr<const Fabric> fabric_;
    std::shared_ptr<const Membership> membership_;
    std::unique_ptr<Searches> searches_;  ///< cached searches
};

/// A graph in which every node has every port.
class RegularTopology : public Topology {
  public:
    [[nodiscard]] Port degree(NodeId) const override { return ports(); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return nodes() * ports(); }

  protected:
    using Topology::Topology;
};

/// Calls visit(w) or visit(w, port) for the neighbours w of v, in the order of v's ports. O(degree) if the family knows
/// the degree and v's first labels lead to them, else O(labels).
template <class Visit>
void for_each_neighbour(const Topology& graph, NodeId v, const Visit& visit) {
    Port left = graph.degree(v);
    for (Port port = 0; left > 0 && port < graph.ports(); ++port) {
        const NodeId w = graph.across(v, port).node;
        if (w == no_node) continue;
        --left;
        if constexpr (std::is_invocable_v<const Visit&, NodeId, Port>)
            visit(w, port);
        else
            visit(w);
    }
}

/// Calls visit(v, w) for each link once, v < w, in ascending order of v and then of v's ports.
template <class Visit>
void for_each_link(const Topology& graph, const Visit& visit) {
    for (NodeId v = 0; v < graph.nodes(); ++v)
        for_each_neighbour(graph, v, [&](NodeId w) {
            if (v < w) visit(v, w);
        });
}

/// Builds the topology that a specification names: "hypercube:4", "mesh:4x5"; topology_families() (family.hpp) lists
/// the forms. Throws RequestError for an unknown family (with the nearest valid one), a malformed or overflowing
/// number, numbers out of range, or more than 2^40 nodes; DoesNotFit where ports do not fit into 32 bits, or a graph
/// that must be stored is too large. The concrete classes throw the same from their constructors.
[[nodiscard]] std::shared_ptr<const Topology> make_topology(std::string_view spec);

}  // namespace kport
