/// @file trunks.hpp   Graphs whose links are trunks, and nodes all hosts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/fabric.hpp"

namespace kport {

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
