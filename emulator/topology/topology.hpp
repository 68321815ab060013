/// @file topology.hpp   Graphs: nodes, ports, links, routes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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

/// A connected undirected graph whose links are pairs of opposite channels (model.md section 1).
///
/// A directed channel is named by (node, port): the channel that leaves the node by the port. Families compute their
/// answers from the node number and store nothing that grows with N, so 2^40 nodes cost no memory.
///
/// Callers   any thread; a topology never changes after construction.
/// Cost      O(1) or O(dimensions) a call unless noted otherwise. No allocation unless a container is returned.
/// Errors    node < nodes() and port < ports() are the caller's duty and are not checked on these hot paths.
class Topology {
  public:
    virtual ~Topology() = default;
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    /// The canonical specification, as the command line takes it: "mesh:4x5".
    [[nodiscard]] const std::string& spec() const { return spec_; }
    /// The family's name: "mesh".
    [[nodiscard]] std::string_view family() const { return std::string_view(spec_).substr(0, spec_.find(':')); }
    /// N >= 1.
    [[nodiscard]] NodeId nodes() const { return nodes_; }
    /// Port labels are 0 .. ports()-1, the same for all nodes; a node may lack some (see across()).
    [[nodiscard]] Port ports() const { return ports_; }

    /// The end of the channel that leaves v by port p; {no_node, no_port} where v has no such port.
    [[nodiscard]] virtual LinkEnd across(NodeId v, Port p) const = 0;
    /// The port of v that leads to w; no_port unless they are neighbours.
    [[nodiscard]] virtual Port port_to(NodeId v, NodeId w) const = 0;
    /// Number of links of v.
    [[nodiscard]] virtual Port degree(NodeId v) const = 0;
    [[nodiscard]] virtual Port max_degree() const = 0;
    /// Directed channels: twice the links.
    [[nodiscard]] virtual std::uint64_t channels() const = 0;

    /// Links on a shortest path.
    [[nodiscard]] virtual Hops distance(NodeId v, NodeId w) const = 0;
    /// exc(v): distance to the farthest node.
    [[nodiscard]] virtual Hops eccentricity(NodeId v) const = 0;
    [[nodiscard]] virtual Hops diameter() const = 0;
    /// n(d) = number of nodes at distance exactly d from v, for d = 0 .. exc(v). O(exc(v) * dimensions).
    [[nodiscard]] virtual std::vector<std::uint64_t> distance_profile(NodeId v) const = 0;
    /// Sum of the distances from v to all nodes; O(dimensions) in the families here, without the profile.
    /// Throws DoesNotFit where the sum needs more than 64 bits (such as lines beyond 2^32 nodes).
    [[nodiscard]] virtual std::uint64_t sum_of_distances(NodeId v) const;
    /// True if the graph looks the same from every node (then exc(v) = diameter for all v).
    [[nodiscard]] virtual bool vertex_symmetric() const = 0;
    /// Whether the graph is two-colourable, i.e. has no odd cycle.
    [[nodiscard]] virtual bool bipartite() const = 0;

    /// The port by which the deterministic minimal route from `at` to `to` (at != to) leaves `at`: e-cube on hypercubes
    /// (lowest differing dimension first), dimension-ordered on meshes and tori (first dimension first; on an even ring
    /// with two shortest ways, the + direction), the tree path on trees.
    [[nodiscard]] virtual Port route(NodeId at, NodeId to) const = 0;

    /// "5", or "5 (1,2)" where nodes have coordinates.
    [[nodiscard]] virtual std::string name(NodeId v) const;
    /// Reads a node as an id or, where nodes have coordinates, as "i,j,...". Throws RequestError with the allowed forms.
    [[nodiscard]] virtual NodeId node(std::string_view text) const;

  protected:
    Topology(std::string spec, NodeId nodes, Port ports) : spec_(std::move(spec)), nodes_(nodes), ports_(ports) {}

    /// For overrides of node(): throws the RequestError that lists the valid nodes; `also` ends the sentence.
    [[noreturn]] void refuse_node(std::string_view text, std::string_view also = {}) const;

  private:
    std::string spec_;
    NodeId nodes_;
    Port ports_;
};

/// Builds the topology that a specification names: `hypercube:D`, `mesh:AxBxC...`, `torus:AxBxC...`, `line:N`, `ring:N`,
/// `complete:N`, `cbt:H`. Throws RequestError for an unknown family (with the nearest valid one), a malformed or
/// overflowing number, a side of 0, or more than 2^40 nodes; DoesNotFit for `complete:N` beyond 2^32 nodes, since ports
/// are counted in 32 bits. The concrete classes throw the same from their constructors.
[[nodiscard]] std::shared_ptr<const Topology> make_topology(std::string_view spec);

/// A family of topologies for `kport list`: its name, the form of its specification, and one line about it.
struct TopologyFamily {
    std::string_view name;
    std::string_view form;
    std::string_view about;
};
[[nodiscard]] const std::vector<TopologyFamily>& topology_families();

}  // namespace kport
