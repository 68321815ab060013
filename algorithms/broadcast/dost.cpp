/// @file dost.cpp   The dimension-ordered spanning tree of meshes and tori (model.md section 3.6).
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/dimension_tree.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/node/forwarding.hpp"

namespace kport {

namespace {

/// One-to-all broadcast along the dimension-ordered spanning tree.
///
/// Machine   mesh, torus, line, ring, store-and-forward or wormhole, any k
/// Gives     every node holds the source's packet
/// Costs     all-port: rounds ecc(s); 1-port, farthest-first: mesh ecc(s) + number of sides >= 3 in which s is exactly
///           central, torus sum ceil(n_i / 2); work N - 1
/// Idea      Received in dimension i: forward on in i and start both directions of all later dimensions. Where the ports
///           do not suffice the arm with the farthest last node goes first.
/// Source    model.md section 3.6
class AlongDost final : public Forwarding {
  public:
    AlongDost(const Machine& machine, const Collective& collective, ArmOrder order)
        : Forwarding(collective, machine.combining), topology_(machine.topology),
          tree_(*as_grid(machine), collective.root, order) {}
    [[nodiscard]] Port first(NodeId v, Port) const override { return tree_.first(v); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return tree_.next(v, last); }

  private:
    std::shared_ptr<const Topology> topology_;  ///< the tree's
    DimensionTree tree_;
};

std::optional<std::string> misfit_broadcast_dost(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of(
        {unless(as_grid(machine) != nullptr, "needs a mesh, torus, line or ring"), takes_no_options(options)});
}

template <ArmOrder order>
Start make_broadcast_dost(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {PlanProgram(std::make_shared<AlongDost>(machine, collective, order)), {collective.root}};
}

ExpectedCost expect_broadcast_dost(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return in_turn(
        dimension_tree_cost(machine, *as_grid(machine), collective.root), machine,
        Copies(machine, collective).messages(),
        DimensionTree(*as_grid(machine), collective.root, ArmOrder::farthest_first).arms(collective.root).size());
}

ExpectedCost expect_nearest_first(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return in_turn({std::nullopt,
                    machine.topology->nodes() - 1,
                    std::nullopt,
                    std::nullopt,
                    {"the nearest arm first: the farthest nodes start last; no closed form is known",
                     "with all ports no send waits and the order does not matter"}},
                   machine, Copies(machine, collective).messages(), std::nullopt);
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_dost() {
    std::vector<Algorithm> rows = with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "dost",
            .rule = "dimension-ordered spanning tree: on along the dimension it came by, both ways along later ones, "
                    "farthest arm first",
            .needs = "mesh, torus, line, ring, SF or WH, any k",
            .cost = "two ports or more: ecc(s) rounds; one port: mesh ecc(s) and one more for each side in which s is "
                    "exactly central, torus the sum of ceil(n_i/2)",
            .source = "model section 3.6",
            .misfit = misfit_broadcast_dost,
            .make = make_broadcast_dost<ArmOrder::farthest_first>,
            .expect = expect_broadcast_dost,
            .with_many = WithMany::in_turn,
            .single_links = true,
        },
        Operation::reduce, in_order_on_grids);
    rows.push_back({
        .operation = Operation::broadcast,
        .name = "dost-nearest-first",
        .rule = "the same tree, nearest arm first: shows the effect of the order",
        .needs = "mesh, torus, line, ring, SF or WH, any k",
        .cost = "one port: measured, up to about twice the rounds of dost; all ports: ecc(s) rounds",
        .source = "model section 3.6",
        .misfit = misfit_broadcast_dost,
        .make = make_broadcast_dost<ArmOrder::nearest_first>,
        .expect = expect_nearest_first,
        .by_default = false,
        .with_many = WithMany::in_turn,
    });
    return rows;
}

}  // namespace kport
