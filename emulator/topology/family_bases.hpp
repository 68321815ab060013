/// @file family_bases.hpp   Bases of families of graphs: links by a rule, numbers of a grid, variants of hypercubes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/topology/grid.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// Base of families whose rule may name a neighbour by several ports, or the node itself.
///
/// Family defines `NodeId named(NodeId v, Port p) const`, the node that its rule names by port p of v, and `Port
/// first_port(NodeId v, NodeId w) const`, the first port by which it names w, or no_port. The first port that names a
/// neighbour leads there; later ones, and those that name v itself, are absent.
template <class Family>
class ByRule : public Topology {
  public:
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const final {
        const NodeId w = rule().named(v, p);
        if (w == v || rule().first_port(v, w) != p) return {};
        return {w, rule().first_port(w, v)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const final { return v == w ? no_port : rule().first_port(v, w); }

  private:
    friend Family;
    ByRule(std::string spec, NodeId nodes, Port ports) : Topology(std::move(spec), nodes, ports) {}

    [[nodiscard]] const Family& rule() const { return static_cast<const Family&>(*this); }
};

/// Base of families whose nodes have the numbers and coordinates of a grid, but other links.
class OnGrid : public Topology {
  public:
    /// The grid that has the same numbers and coordinates.
    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] std::string own_label(NodeId v) const override { return grid_.label(v); }
    [[nodiscard]] NodeId own_node(std::string_view text) const override {
        if (const std::optional<NodeId> found = grid_.find(text)) return *found;
        refuse_node(text, grid_.coordinate_form());
    }

  protected:
    OnGrid(std::string spec, GridKind kind, const std::vector<NodeId>& sides, Port ports_a_dimension)
        : Topology(std::move(spec), Grid(kind, sides).nodes(), static_cast<Port>(ports_a_dimension * sides.size())),
          grid_(kind, sides) {}

  private:
    Grid grid_;
};

/// Base of hypercubes some of whose links are exchanged. 2^D nodes of D ports; a link has the same port at both ends.
/// Family defines `NodeId neighbour(NodeId v, Port p) const`.
template <class Family>
class CubeVariant : public RegularTopology {
  public:
    static constexpr std::uint64_t dimensions_most = 40;

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const final {
        return {static_cast<const Family&>(*this).neighbour(v, p), p};
    }
    /// The highest dimension joins two halves that are variants with one dimension less.
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        return PublishedSchedule{ports(), "one dimension after the other, the highest first"};
    }
    /// These variants have odd cycles from dimension 3 on, where links are exchanged.
    [[nodiscard]] bool bipartite() const override { return ports() <= 2; }

  private:
    friend Family;
    CubeVariant(std::string spec, std::uint64_t d)
        : RegularTopology(std::move(spec), NodeId{1} << d, static_cast<Port>(d)) {}
};

}  // namespace kport
