/// @file exchange.cpp   Prefix sums on the hypercube (Algorithm 4.9, with the operand order corrected).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/hypercube.hpp"
#include "algorithms/support/node_values.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

ExpectedCost expect_scan_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes * n,
        n,
        n,
        {fmt::format("in each of {} phases all nodes exchange the sum of their block across a dimension: {}", n,
                     counted(n, "round")),
         fmt::format("one message a node and phase, over one link: work {} * {} = {}", nodes, n, nodes * n),
         fmt::format("a partial sum has the size of one packet whatever it sums up: volume {}", counted(n, "packet"))}};
}

}  // namespace

/// Prefix sums: node k gets the combination of the contributions of nodes 0 .. k, in this order.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two
/// Gives     node k holds the contributions of 0 .. k, folded in order
/// Costs     rounds n, work N n, path sum n, volume n packets
/// Idea      All nodes exchange as in an all-reduce; a node folds only the values of lower partners into its result, on the
///           left. (The book folds every value on the right and so needs a commutative operator.)
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, Algorithm 4.9; model.md section 6
std::vector<Algorithm> algorithms_in_scan_exchange() {
    return with_exclusive({
        .operation = Operation::scan,
        .name = "exchange",
        .rule = "prefix sums: exchange block sums across each dimension, fold those of lower nodes into the result",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links",
        .cost = "n rounds, work N n, volume n packets",
        .source = "Kumar et al. Algorithm 4.9; model section 6",
        .misfit = misfit_cube_exchange,
        .make = make_cube_exchange,
        .expect = expect_scan_exchange,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    });
}

}  // namespace kport
