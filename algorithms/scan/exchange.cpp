/// @file exchange.cpp   Prefix sums on the hypercube (Algorithm 4.9, with the operand order corrected).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"

namespace kport {

namespace {

/// Prefix sums: node k gets the combination of the contributions of nodes 0 .. k, in this order.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two
/// Gives     node k holds the contributions of 0 .. k, folded in order
/// Costs     rounds n, work N n, path sum n, volume n packets
/// Idea      All nodes exchange as in an all-reduce; a node folds only the values of lower partners into its result, on the
///           left. (The book folds every value on the right and so needs a commutative operator.)
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, Algorithm 4.9; model.md section 6
Program prefix_sums(Node& self, const Hypercube& cube) {
    Value result = self.contribution();
    Value message = result;
    for (int d = 0; d < cube.dimensions(); ++d) {
        const Port port = cube.port(d);
        co_await self.send(port, message);
        const Arrival arrival = co_await self.receive(port);
        if (arrival.from < self.id()) {
            message = self.fold(arrival.value(), message);
            result = self.fold(arrival.value(), result);
        } else {
            message = self.fold(message, arrival.value());
        }
    }
    self.result(result);
}

std::optional<std::string> misfit_scan_exchange(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     takes_no_options(options)});
}

Start make_scan_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    return {[topology = machine.topology, cube](Node& self) { return prefix_sums(self, *cube); }, {}, true};
}

ExpectedCost expect_scan_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {n,
            nodes * n,
            n,
            n,
            {fmt::format("in each of {} phases all nodes exchange the sum of their block across a dimension: {} rounds",
                         n, n),
             fmt::format("one message a node and phase, over one link: work {} * {} = {}", nodes, n, nodes * n),
             fmt::format("a partial sum has the size of one packet whatever it sums up: volume {} packets", n)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scan_exchange() {
    return {{
        .operation = Operation::scan,
        .name = "exchange",
        .rule = "prefix sums: exchange block sums across each dimension, fold those of lower nodes into the result",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links",
        .cost = "n rounds, work N n, volume n packets",
        .source = "Kumar et al. Algorithm 4.9; model section 6",
        .misfit = misfit_scan_exchange,
        .make = make_scan_exchange,
        .expect = expect_scan_exchange,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    }};
}

}  // namespace kport
