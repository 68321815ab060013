/// @file exchange.cpp   The barrier by exchange on the hypercube.
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Barrier on the hypercube.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two
/// Gives     every node knows that all have entered
/// Costs     rounds and path sum n, work N n
/// Idea      In phase i partners across dimension i signal to each other: then both know of a block of 2^(i+1) nodes.
/// Source    Hensgen, Finkel, Manber 1988, for powers of two
Program enter_by_exchange(Node& self, const Hypercube& cube) {
    PacketSet entered = PacketSet::range(self.id(), self.id() + 1);
    for (int d = 0; d < cube.dimensions(); ++d) {
        co_await self.send(cube.port(d), entered);
        const Arrival signal = co_await self.receive(cube.port(d));
        entered.include(signal.packets());
    }
}

std::optional<std::string> misfit_barrier_exchange(const Machine& machine, const Collective&,
                                                   const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     needs_table(machine), takes_no_options(options)});
}

Start make_barrier_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    return {[topology = machine.topology, cube](Node& self) { return enter_by_exchange(self, *cube); }, {}, true};
}

ExpectedCost expect_barrier_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {n,
            nodes * n,
            n,
            0,
            {fmt::format("in each of {} phases all nodes signal across a dimension: {}", n, counted(n, "round")),
             fmt::format("one signal a node and phase, over one link: work {} * {} = {}", nodes, n, nodes * n)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_barrier_exchange() {
    return {{
        .operation = Operation::barrier,
        .name = "exchange",
        .rule = "partners across each dimension signal to each other",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links",
        .cost = "n rounds, work N n, volume 0",
        .source = "Hensgen, Finkel, Manber 1988",
        .misfit = misfit_barrier_exchange,
        .make = make_barrier_exchange,
        .expect = expect_barrier_exchange,
    }};
}

}  // namespace kport
