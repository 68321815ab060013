/// @file renumbered.hpp   A graph with renumbered nodes, and graphs that are a family's under other numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// A graph with other node numbers, for programs that require a particular order of the nodes.
///
/// Memory   8 bytes a node beside the graph.
class Renumbered final : public Topology {
  public:
    /// Node i is node numbers[i] of `graph`; `numbers` has each node once.
    Renumbered(std::shared_ptr<const Topology> graph, std::vector<std::uint32_t> numbers);

    /// Returns the number of a node in the graph.
    [[nodiscard]] NodeId old(NodeId v) const { return old_[v]; }

    [[nodiscard]] Port labels(NodeId v) const override { return graph_->labels(old(v)); }
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override;
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override { return graph_->port_to(old(v), old(w)); }
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override { return graph_->capacity(old(v), p); }
    [[nodiscard]] bool has_trunks() const override { return graph_->has_trunks(); }
    [[nodiscard]] Port degree(NodeId v) const override { return graph_->degree(old(v)); }
    [[nodiscard]] Port max_degree() const override { return graph_->max_degree(); }
    [[nodiscard]] std::uint64_t channels() const override { return graph_->channels(); }

    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override { return graph_->distance(old(v), old(w)); }
    [[nodiscard]] Hops eccentricity(NodeId v) const override { return graph_->eccentricity(old(v)); }
    [[nodiscard]] Hops diameter() const override { return graph_->diameter(); }
    [[nodiscard]] Hops radius() const override { return graph_->radius(); }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        return graph_->distance_profile(old(v));
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return graph_->vertex_symmetry(); }
    [[nodiscard]] bool bipartite() const override { return graph_->bipartite(); }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override { return graph_->route(old(at), old(to)); }

    /// Returns the name of the node in the graph.
    [[nodiscard]] std::string own_label(NodeId v) const override { return graph_->name(old(v)); }

  private:
    std::shared_ptr<const Topology> graph_;
    std::vector<std::uint32_t> old_;
    std::vector<std::uint32_t> new_;
};

inline Renumbered::Renumbered(std::shared_ptr<const Topology> graph, std::vector<std::uint32_t> numbers)
    : Topology(graph->spec(), graph->nodes(), graph->ports()), graph_(std::move(graph)), old_(std::move(numbers)),
      new_(old_.size()) {
    invariant(old_.size() == nodes(), "every node has a new number");
    for (std::uint32_t v = 0; v < old_.size(); ++v) new_[old_[v]] = v;
}

inline LinkEnd Renumbered::across(NodeId v, Port p) const {
    const LinkEnd end = graph_->across(old(v), p);
    return end.node == no_node ? end : LinkEnd{new_[end.node], end.port};
}

/// Returns the complete graph, hypercube, line, ring, mesh, torus or complete binary tree that `graph` is, whatever its nodes are
/// called; null if it is none of these, or not stored by its links. Node v of the result is a node of `graph`, and has its number and name in reports
/// (Membership::is_renumbering). Each link is compared before a family is returned. A graph that has the numbers of a family gets
/// these; else the sides of a mesh or torus ascend.
///
/// Cost     O(channels log degree); some 100 bytes a node while it searches, 24 afterwards. One thread.
[[nodiscard]] std::shared_ptr<const Topology> recognized(const std::shared_ptr<const Topology>& graph);

/// Whether the topology is the result of recognized().
[[nodiscard]] bool is_recognized(const Topology& topology);
/// Returns "it is hypercube:10 under other numbers", or "it is hypercube:10"; empty unless is_recognized().
[[nodiscard]] std::string family_in_words(const Topology& topology);

}  // namespace kport
