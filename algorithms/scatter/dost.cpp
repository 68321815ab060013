/// @file dost.cpp   Store-and-forward scatter down the dimension-ordered spanning tree (model.md section 5.4).
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/dimension_tree.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/grid_boxes.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/forwarding.hpp"

namespace kport {

namespace {

/// Returns the packets for all nodes behind an arm of v: the arm's nodes, and those that they reach in later
/// dimensions.
PacketSet behind(const Grid& grid, const GridBoxes& boxes, NodeId v, const TreeArm& arm) {
    const int i = Grid::dimension_of(arm.port);
    const NodeId side = grid.side(i);
    const NodeId steps = Grid::is_plus(arm.port) ? 1 : side - arm.length;  // to the lowest of them, around a ring
    return boxes.packets(v, static_cast<std::size_t>(i), (grid.coordinate(v, i) + steps) % side, arm.length);
}

/// One-to-all scatter down the dimension-ordered spanning tree.
///
/// Machine   mesh, torus, line, ring, store-and-forward or wormhole, any k, combining
/// Gives     every node holds its own packet
/// Costs     rounds as for broadcast: ecc(s) with all ports; work N - 1. The volume is large: N (N-1) / 2 packets from the
///           end of a line, where a pipeline of single packets needs N - 1
/// Idea      Into each arm of the tree go all packets for the nodes behind it, the arm with the farthest last node first.
/// Source    model.md section 5.4
class DownDost final : public Splitting {
  public:
    DownDost(const Machine& machine, const Collective& collective)
        : Splitting(collective), topology_(machine.topology), grid_(*as_grid(machine)),
          tree_(grid_, collective.root, ArmOrder::farthest_first), boxes_(grid_, ascending_dimensions(grid_)),
          m_(collective.packets_each) {}
    [[nodiscard]] Port first(NodeId v, Port) const override { return tree_.first(v); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return tree_.next(v, last); }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override {
        return packets_of(behind(grid_, boxes_, v, tree_.arm(v, out)), m_);
    }

  private:
    std::shared_ptr<const Topology> topology_;  ///< the grid
    const Grid& grid_;
    DimensionTree tree_;
    GridBoxes boxes_;
    std::uint64_t m_;
};

std::optional<std::string> misfit_scatter_dost(const Machine& machine, const Collective&,
                                               const AlgorithmOptions& options) {
    return first_of({unless(as_grid(machine) != nullptr, "needs a mesh, torus, line or ring"), needs_combining(machine),
                     takes_no_options(options)});
}

Start make_scatter_dost(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {PlanProgram(std::make_shared<DownDost>(machine, collective)), {collective.root}};
}

ExpectedCost expect_scatter_dost(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Grid& grid = *as_grid(machine);
    ExpectedCost cost = dimension_tree_cost(machine, grid, collective.root);
    cost.volume.reset();  // it depends on which bundles travel in the same round
    for (int i = 0; i < grid.dimensions(); ++i) {
        const Grid::Arms arms = grid.arms(i, grid.coordinate(collective.root, i));
        const std::uint64_t length = std::max(arms.plus, arms.minus);
        if (length == 0) continue;
        const NodeId each = grid.stride(i);
        cost.derivation.push_back(fmt::format(
            "dimension {}: the bundles of an arm of {} shrink by {} packet{} a hop, from {} on: {} in all", i, length,
            each, each == 1 ? "" : "s", length * each, counted(length * (length + 1) / 2 * each, "packet")));
    }
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_dost() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "dost",
            .rule = "dimension-ordered spanning tree: into each arm go all packets for the nodes behind it, farthest "
                    "arm first",
            .needs = "mesh, torus, line, ring, SF or WH, any k, combining",
            .cost = "the rounds of dost as a broadcast; volume N(N-1)/2 packets on a line from its end, far above the "
                    "bound on long grids",
            .source = "model section 5.4",
            .misfit = misfit_scatter_dost,
            .make = make_scatter_dost,
            .expect = expect_scatter_dost,
            .single_links = true,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
