#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// X by Y chiplets of A by B nodes: the mesh of X A by Y B without most of the links between chiplets. A side of `side` nodes keeps
/// L, at offsets floor((2t+1) side / (2L)), t < L. Numbers and ports are those of the mesh.
class ChipletMesh final : public OnGrid {
  public:
    /// How many chiplets along a dimension, and how many nodes along each.
    struct Axis {
        NodeId chiplets;
        NodeId nodes;
    };

    ChipletMesh(const Axis& rows, const Axis& columns, NodeId links)
        : OnGrid(fmt::format("chiplet-mesh:{}x{},{}x{},{}", rows.chiplets, columns.chiplets, rows.nodes, columns.nodes,
                             links),
                 GridKind::mesh, {rows.chiplets * rows.nodes, columns.chiplets * columns.nodes}, 2),
          axes_{rows, columns}, by_nodes_{Divisor(rows.nodes), Divisor(columns.nodes)}, links_(links),
          max_degree_(found_max_degree()) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const LinkEnd end = grid().across(v, p);
        if (end.node == no_node) return {};
        const auto i = static_cast<std::size_t>(Grid::dimension_of(p));
        const NodeId upper = grid().coordinate(std::max(v, end.node), static_cast<int>(i));
        if (offset(i, upper) != 0) return end;
        const std::size_t along = 1 - i;
        return keeps(axes_[along].nodes, offset(along, grid().coordinate(v, static_cast<int>(along)))) ? end
                                                                                                       : LinkEnd{};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const Port port = grid().port_to(v, w);
        return port != no_port && across(v, port).node == w ? port : no_port;
    }
    [[nodiscard]] Port labels_in_use() const override { return grid().side(1) > 1 ? 4 : grid().side(0) > 1 ? 2 : 0; }
    [[nodiscard]] Port max_degree() const override { return max_degree_; }
    [[nodiscard]] std::uint64_t channels() const override {
        const auto [rows, columns] = axes_;
        return 2 * (rows.chiplets * columns.chiplets *
                        (rows.nodes * (columns.nodes - 1) + columns.nodes * (rows.nodes - 1)) +
                    links_ * ((rows.chiplets - 1) * columns.chiplets + rows.chiplets * (columns.chiplets - 1)));
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override {
        return degree(0) != max_degree_ ? false : Topology::vertex_symmetry();
    }
    /// As each part of a mesh.
    [[nodiscard]] bool bipartite() const override { return true; }

  private:
    /// Returns where in its chiplet a coordinate is.
    [[nodiscard]] NodeId offset(std::size_t i, NodeId x) const { return x - by_nodes_[i].quotient(x) * axes_[i].nodes; }
    [[nodiscard]] NodeId kept(NodeId side, NodeId t) const { return (2 * t + 1) * side / (2 * links_); }
    /// Whether a side of a chiplet keeps the link at this offset.
    [[nodiscard]] bool keeps(NodeId side, NodeId at) const {
        const NodeId middle = (2 * links_ * at + side - 1) / side;  // the first 2t+1 whose offset is at least that
        const NodeId t = middle / 2;
        return t < links_ && kept(side, t) == at;
    }
    /// The degree depends on whether a node is first or last in the mesh and in its chiplet, and on the links that are kept.
    [[nodiscard]] Port found_max_degree() const {
        std::array<std::vector<NodeId>, 2> places;
        for (std::size_t i = 0; i < 2; ++i) {
            const auto [chiplets, side] = axes_[i];
            for (const NodeId chiplet : {NodeId{0}, std::min<NodeId>(1, chiplets - 1), chiplets - 1})
                for (const NodeId at : {NodeId{0}, side / 2, side - 1, kept(side, 0), kept(side, links_ / 2)})
                    places[i].push_back(chiplet * side + at);
        }
        Port most = 0;
        for (const NodeId row : places[0])
            for (const NodeId column : places[1])
                most = std::max(most, Topology::degree(row * grid().side(1) + column));
        return most;
    }

    std::array<Axis, 2> axes_;
    std::array<Divisor, 2> by_nodes_;
    NodeId links_;
    Port max_degree_;
};

/// Reads "4x5".
std::array<NodeId, 2> two_sides(const Parameters& part, std::string_view what, std::string_view example) {
    const std::vector<NodeId> sides = part.numbers('x', {what, 1, nodes_max});
    if (sides.size() != 2)
        part.refuse(fmt::format("{} '{}'; want two numbers, such as {}", what, part.text(), example));
    return {sides[0], sides[1]};
}

std::shared_ptr<const Topology> build_chiplet_mesh(const Parameters& given) {
    const std::vector<Parameters> parts = given.parts(3);
    const auto [rows, columns] = two_sides(parts[0], "chiplets along a side", "2x3");
    const auto [height, width] = two_sides(parts[1], "side of a chiplet", "4x4");
    given.require_nodes(static_cast<double>(rows) * static_cast<double>(height) * static_cast<double>(columns) *
                        static_cast<double>(width));
    const NodeId links = parts[2].number({"links a side", 1, std::min(height, width)});
    return std::make_shared<const ChipletMesh>(ChipletMesh::Axis{rows, height}, ChipletMesh::Axis{columns, width},
                                               links);
}

/// Chiplets of up to 4 by 4 nodes, the fewest links and one more.
std::vector<std::string> members_chiplet_mesh(NodeId nodes) {
    std::vector<std::string> found;
    constexpr NodeId side_max = 4;
    for (NodeId height = 1; height <= side_max; ++height)
        for (NodeId width = 1; width <= side_max; ++width) {
            const NodeId chiplets = nodes / (height * width);
            if (chiplets * height * width != nodes) continue;
            for (NodeId rows = 1; rows <= chiplets; ++rows)
                if (chiplets % rows == 0)
                    found.push_back(fmt::format("{}x{},{}x{},{}", rows, chiplets / rows, height, width,
                                                1 + (rows + height) % std::min(height, width)));
        }
    return found;
}

}  // namespace

std::vector<TopologyFamily> families_in_chiplet_mesh() {
    return {{.name = "chiplet-mesh",
             .form = "chiplet-mesh:XxY,AxB,L",
             .about = "X by Y chiplets, each a mesh of A by B nodes, with L links between sides",
             .build = build_chiplet_mesh,
             .members = members_chiplet_mesh,
             .drawn = DrawnAs::grid}};
}

}  // namespace kport
