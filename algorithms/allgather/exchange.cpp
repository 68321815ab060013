/// @file exchange.cpp   All-to-all broadcast by exchange on the hypercube (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"

namespace kport {

namespace {

/// All-to-all broadcast: every node gets every node's packet.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two, combining
/// Gives     every node holds all N packets
/// Costs     rounds n, work N n, path sum n, volume N - 1 packets
/// Idea      In phase i partners across dimension i exchange all their packets: those of a block of 2^i nodes.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2.3; model.md section 7
Program allgather_by_exchange(Node& self, const Hypercube& cube) {
    const std::uint64_t m = self.collective().packets_each;
    for (int d = 0; d < cube.dimensions(); ++d) {
        const NodeId block = NodeId{1} << d;
        const NodeId first = self.id() / block * block;
        co_await self.send(cube.port(d), packets_of(PacketSet::range(first, first + block), m));
        co_await self.receive(cube.port(d));
    }
}

std::optional<std::string> misfit_allgather_exchange(const Machine& machine, const Collective&,
                                                     const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     needs_combining(machine), takes_no_options(options)});
}

Start make_allgather_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    return {[topology = machine.topology, cube](Node& self) { return allgather_by_exchange(self, *cube); }, {}, true};
}

ExpectedCost expect_allgather_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes * n,
        n,
        nodes - 1,
        {fmt::format("in each of {} phases all nodes exchange all their packets across a dimension: {} rounds", n, n),
         fmt::format("one message a node and phase, over one link: work {} * {} = {}", nodes, n, nodes * n),
         fmt::format("the bundles double, 1 + 2 + 4 + ...: volume {} packets", nodes - 1)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_exchange() {
    return {{
        .operation = Operation::allgather,
        .name = "exchange",
        .rule = "partners across each dimension exchange all their packets",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links, combining",
        .cost = "n rounds, work N n, volume N-1 packets",
        .source = "Kumar et al. ch. 4.2.3; model section 7",
        .misfit = misfit_allgather_exchange,
        .make = make_allgather_exchange,
        .expect = expect_allgather_exchange,
    }};
}

}  // namespace kport
