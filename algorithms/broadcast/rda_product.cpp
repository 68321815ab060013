/// @file rda_product.cpp   Wormhole recursive doubling on lines, and its Cartesian product (model.md sections 4.1 to 4.3).
#include <memory>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/line_product.hpp"

namespace kport {

namespace {

constexpr Keep broadcast_usually_keeps = Keep::smaller;

/// One-to-all broadcast on wormhole grids: recursive doubling along a line, one dimension after the other.
///
/// Machine   mesh, torus, line, ring, wormhole, 1-port
/// Gives     every node holds the source's packet
/// Costs     rounds sum ceil(log2 n_i); path sum sum h_i, where h_i = n_i - 1 from the end of a line, ceil(n_i/2) on a ring
/// Idea      The holder of a segment halves it, keeps the smaller part and sends to the nearest node of the other; paths of
///           a round lie in disjoint segments. Then all informed lines of the next dimension do the same in parallel.
/// Source    model.md sections 4.1 to 4.3
Program broadcast_by_lines(Node& self, const LineProduct& product, NodeId source, Cargo message) {
    if (self.id() != source) co_await self.receive();
    LineProduct::Turn turn = product.first_turn(self.id());
    for (; turn.phase < product.phases(); turn = product.after(turn)) {
        const CutLine& line = product.line(turn.phase);
        while (self.round() <= product.rounds_before(turn.phase)) co_await self.next_round();
        while (turn.segment.size() > 1) {
            const std::uint64_t here = line.position(self.id());
            const Halving step = halve(turn.segment, here, product.keep());
            const std::vector<Port> route = line.route(here, step.receiver);
            co_await self.send_along(line.node_at(self.id(), step.receiver), route, message);
            turn.segment = step.kept;
        }
    }
}

std::optional<std::string> misfit_broadcast_rda_product(const Machine& machine, const Collective&,
                                                        const AlgorithmOptions& options) {
    return misfit_line_product(machine, options);
}

LineProduct product_of(const Machine& machine, NodeId source, const AlgorithmOptions& options) {
    return {*as_grid(machine), source, options.dimensions, options.keep.value_or(broadcast_usually_keeps)};
}

Start make_broadcast_rda_product(const Machine& machine, const Collective& collective,
                                 const AlgorithmOptions& options) {
    const NodeId source = collective.root;
    const auto product = std::make_shared<LineProduct>(product_of(machine, source, options));
    return {[topology = machine.topology, product, source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_by_lines(self, *product, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_broadcast_rda_product(const Machine& machine, const Collective& collective,
                                          const AlgorithmOptions& options) {
    ExpectedCost cost = product_of(machine, collective.root, options).cost();
    cost.volume = cost.rounds;  // every message is one packet
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_rda_product() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "rda-product",
            .rule =
                "recursive doubling along a line, one dimension after the other: keeps the smaller part (or --keep)",
            .needs = "mesh, torus, line, ring, WH, 1-port; --keep, --dimensions",
            .cost = "sum of L(n_i) rounds; path sum n-1 for a line from its end, the sum of ceil(n_i/2) on a torus; "
                    "work above N-1, it depends on the order of the dimensions",
            .source = "model sections 4.1 to 4.3",
            .misfit = misfit_broadcast_rda_product,
            .make = make_broadcast_rda_product,
            .expect = expect_broadcast_rda_product,
            .takes = "keep dimensions",
            .keeps = broadcast_usually_keeps,
        },
        Operation::reduce, in_order_on_grids);
}

}  // namespace kport
