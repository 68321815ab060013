/// @file grid.hpp   Meshes, tori, lines and rings of any number of dimensions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The families that are grids. Lines and rings are meshes and tori of one dimension under their own names.
enum class GridKind { mesh, torus, line, ring };

/// A mesh (without wraparound) or torus (with wraparound in every dimension). Nodes are numbered row-major; dimension 0
/// is the most significant.
///
/// Port 2i leads in the minus direction of dimension i, port 2i+1 in the plus direction. A border node of a mesh lacks
/// the ports that would lead outside. Side 1 has no link. A torus side of 2 has one link, not two: both of its nodes own
/// only the plus port, and each leads back to the other (so torus:2x2x2 is the graph hypercube:3).
class Grid final : public Topology {
  public:
    /// Throws RequestError for no side, a side of 0, more than 2^40 nodes, or a line or ring of several dimensions.
    Grid(GridKind kind, const std::vector<NodeId>& sides);

    [[nodiscard]] GridKind kind() const { return kind_; }
    /// Whether the grid is a torus or ring.
    [[nodiscard]] bool wraps() const { return wraps_; }
    [[nodiscard]] int dimensions() const { return static_cast<int>(axes_.size()); }
    /// Returns the number of nodes along dimension i.
    [[nodiscard]] NodeId side(int i) const { return axis(i).side; }
    /// Returns the difference of node numbers for one step in dimension i.
    [[nodiscard]] NodeId stride(int i) const { return axis(i).stride; }

    /// Returns coordinate i of v, 0 .. side(i)-1.
    [[nodiscard]] NodeId coordinate(NodeId v, int i) const {
        const Axis& a = axis(i);
        const NodeId along = a.stride == 1 ? v : a.by_stride.quotient(v);
        return i == 0 ? along : along - a.by_side.quotient(along) * a.side;
    }
    /// Returns the node with v's coordinates except coordinate i, which is x.
    [[nodiscard]] NodeId with_coordinate(NodeId v, int i, NodeId x) const {
        return v + (x - coordinate(v, i)) * axis(i).stride;  // modulo 2^64, so x may be below the coordinate
    }

    /// Returns the port of the minus, and of the plus direction of dimension i.
    [[nodiscard]] static Port minus(int i) { return static_cast<Port>(2 * i); }
    [[nodiscard]] static Port plus(int i) { return static_cast<Port>(2 * i + 1); }
    [[nodiscard]] static int dimension_of(Port p) { return static_cast<int>(p / 2); }
    [[nodiscard]] static bool is_plus(Port p) { return p % 2 == 1; }

    /// How many nodes of its line or ring a node reaches on shortest paths in plus and in minus direction. On an even
    /// ring the opposite node counts as plus. A node has a direction's port exactly if the number is positive.
    struct Arms {
        NodeId plus;
        NodeId minus;
    };
    /// Returns the arms in dimension i of a node whose coordinate there is x.
    [[nodiscard]] Arms arms(int i, NodeId x) const { return arms(axis(i), x); }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override;
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override;
    [[nodiscard]] Port degree(NodeId v) const override;
    [[nodiscard]] Port max_degree() const override { return max_degree_; }
    [[nodiscard]] std::uint64_t channels() const override;

    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override;
    [[nodiscard]] Hops eccentricity(NodeId v) const override;
    [[nodiscard]] Hops diameter() const override;
    [[nodiscard]] Hops radius() const override;
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override;
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId v) const override;
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override;
    [[nodiscard]] bool bipartite() const override;

    [[nodiscard]] Port route(NodeId at, NodeId to) const override;

    /// Returns "5 (1,2)"; only the number on lines and rings.
    [[nodiscard]] std::string own_label(NodeId v) const override;
    [[nodiscard]] NodeId own_node(std::string_view text) const override;
    /// Returns the node of this number or, where there are several dimensions, with these coordinates.
    [[nodiscard]] std::optional<NodeId> find(std::string_view text) const;
    /// Returns ", or i,j with i < 4, j < 5": how coordinates are written; empty where there is one dimension.
    [[nodiscard]] std::string coordinate_form() const;

  private:
    struct Axis {
        NodeId side = 1;
        NodeId stride = 1;
        Divisor by_side;
        Divisor by_stride;
    };

    [[nodiscard]] const Axis& axis(int i) const { return axes_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] Arms arms(const Axis& a, NodeId x) const {
        return wraps_ ? Arms{a.side / 2, (a.side - 1) / 2} : Arms{a.side - 1 - x, x};
    }

    /// Calls f(axis, coordinate of v) for the dimensions from the last to the first.
    template <class F>
    void for_each_coordinate(NodeId v, const F& f) const;

    GridKind kind_;
    bool wraps_;
    std::vector<Axis> axes_;
    Port max_degree_ = 0;
};

}  // namespace kport
