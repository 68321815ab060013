/// @file rda_product.cpp   Wormhole scatter by recursive doubling along lines, and its Cartesian product (model.md sections 5.2,
///                         5.3).
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/grid_boxes.hpp"
#include "algorithms/support/line_product.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

constexpr Keep scatter_usually_keeps = Keep::greater;

/// The product, and the nodes behind the parts of its lines.
struct ProductPlan {
    LineProduct product;
    GridBoxes boxes;

    ProductPlan(const Grid& grid, NodeId root, const AlgorithmOptions& options)
        : product(grid, root, options.dimensions, options.keep.value_or(scatter_usually_keeps)),
          boxes(grid, product.order()) {}

    /// Returns the packets for the nodes of a part of v's line in a phase, and for all that they will reach in later
    /// phases.
    [[nodiscard]] PacketSet behind(NodeId v, std::size_t phase, const Segment& part) const {
        return boxes.packets(v, phase, product.line(phase).coordinate(part.first), part.size());
    }
};

/// One-to-all scatter on wormhole grids: recursive doubling along a line, one dimension after the other.
///
/// Machine   mesh, torus, line, ring, wormhole, 1-port, combining
/// Gives     every node holds its own packet
/// Costs     rounds sum ceil(log2 n_i), volume N - 1 packets; path sum n - 1 + eps(n) from the end of a line. Keeping the
///           smaller part: path sum n - 1, volume n - 1 + eps(n)
/// Idea      The holder of a segment halves it, keeps the greater part (so the bundle is small), and sends the packets of the
///           other part to its nearest node; paths of a round lie in disjoint segments. Then all lines of the next dimension
///           do the same in parallel.
/// Source    model.md sections 5.2, 5.3
Program scatter_by_lines(Node& self, const ProductPlan& plan, NodeId root) {
    const LineProduct& product = plan.product;
    if (self.id() != root) co_await self.receive();
    const std::uint64_t m = self.collective().packets_each;
    LineProduct::Turn turn = product.first_turn(self.id());
    for (; turn.phase < product.phases(); turn = product.after(turn)) {
        const CutLine& line = product.line(turn.phase);
        while (self.round() <= product.rounds_before(turn.phase)) co_await self.next_round();
        while (turn.segment.size() > 1) {
            const std::uint64_t here = line.position(self.id());
            const Halving step = halve(turn.segment, here, product.keep());
            const std::vector<Port> route = line.route(here, step.receiver);
            co_await self.pass_along(line.node_at(self.id(), step.receiver), route,
                                     packets_of(plan.behind(self.id(), turn.phase, step.given), m));
            turn.segment = step.kept;
        }
    }
}

std::optional<std::string> misfit_scatter_rda_product(const Machine& machine, const Collective&,
                                                      const AlgorithmOptions& options) {
    return first_of({misfit_line_product(machine, options), needs_combining(machine)});
}

Start make_scatter_rda_product(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    const NodeId root = collective.root;
    const auto plan = std::make_shared<ProductPlan>(*as_grid(machine), root, options);
    return {[topology = machine.topology, plan, root](Node& self) { return scatter_by_lines(self, *plan, root); },
            {root}};
}

ExpectedCost expect_scatter_rda_product(const Machine& machine, const Collective& collective,
                                        const AlgorithmOptions& options) {
    const ProductPlan plan(*as_grid(machine), collective.root, options);
    const LineProduct& product = plan.product;
    ExpectedCost cost = product.cost();
    product.add_bundles(cost, machine.costs, collective.packet_bytes);
    for (std::size_t phase = 0; phase < product.phases(); ++phase) {
        const CutLine& line = product.line(phase);
        const std::uint64_t n = line.size();
        if (n == 1 || (line.source() != 0 && line.source() != n - 1)) continue;
        const std::uint64_t eps = odd_halvings(n);
        cost.derivation.push_back(fmt::format(
            "a line of {0} from its end: eps({0}) = {1} of its halvings {2} odd, and keeping the {3} at each: {4} {0} "
            "- 1 + {1} = {5}",
            n, eps, eps == 1 ? "is" : "are",
            product.keep() == Keep::greater ? "greater part costs a hop more"
                                            : "smaller part sends one more, with all behind it,",
            product.keep() == Keep::greater ? "path sum" : "parts", n - 1 + eps));
    }
    const NodeId nodes = machine.topology->nodes();
    if (cost.volume)
        cost.derivation.push_back(
            fmt::format("the largest bundle of each round, added up: volume {}; the bound is {} - 1 = {}",
                        counted(*cost.volume, "packet"), nodes, nodes - 1));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_rda_product() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "rda-product",
            .rule =
                "recursive doubling along a line, one dimension after the other: keeps the greater part (or --keep)",
            .needs = "mesh, torus, line, ring, WH, 1-port, combining; --keep, --dimensions",
            .cost = "sum of L(n_i) rounds; volume N-1 packets; path sum n-1+eps(n) for a line from its end, "
                    "ceil(n/2)+eps(ceil(n/2)) for a ring",
            .source = "model sections 5.2, 5.3",
            .misfit = misfit_scatter_rda_product,
            .make = make_scatter_rda_product,
            .expect = expect_scatter_rda_product,
            .takes = "keep dimensions",
            .keeps = scatter_usually_keeps,
        },
        Operation::gather);
}

}  // namespace kport
