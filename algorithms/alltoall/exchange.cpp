/// @file exchange.cpp   All-to-all scatter by exchange on the hypercube (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all scatter: every node gets a packet of its own from every node.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds n, work N n, path sum n, volume n N / 2 packets
/// Idea      In phase i partners across dimension i exchange all packets for the other half. Before it a node holds the
///           packets from the nodes with its bits i and above, for the nodes with its bits below i.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.5.3; model.md section 7
Program alltoall_by_exchange(Node& self, const Hypercube& cube) {
    const std::uint64_t m = self.collective().packets_each;
    for (int d = 0; d < cube.dimensions(); ++d) {
        const auto half = std::uint32_t{1} << d;
        const auto me = static_cast<std::uint32_t>(self.id());
        const auto nodes = static_cast<std::uint32_t>(cube.nodes());
        const Progression origins{me / half * half, 1, half};
        const Progression targets{(me ^ half) % (2 * half), 2 * half, nodes / (2 * half)};
        co_await self.pass(cube.port(d), packets_between(origins, targets, m));
        co_await self.receive(cube.port(d));
    }
}

std::optional<std::string> misfit_alltoall_exchange(const Machine& machine, const Collective&,
                                                    const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     needs_combining(machine), takes_no_options(options)});
}

Start make_alltoall_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    return {[topology = machine.topology, cube](Node& self) { return alltoall_by_exchange(self, *cube); }, {}, true};
}

ExpectedCost expect_alltoall_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {n,
            nodes * n,
            n,
            nodes / 2 * n,
            {fmt::format("in each of {} phases all nodes exchange across a dimension: {}", n, counted(n, "round")),
             fmt::format("one message a node and phase, over one link: work {} * {} = {}", nodes, n, nodes * n),
             fmt::format("every bundle has the packets for the other half, {} / 2 of them: volume {}", nodes,
                         counted(nodes / 2 * n, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_exchange() {
    return {{
        .operation = Operation::alltoall,
        .name = "exchange",
        .rule = "partners across each dimension exchange all packets for the other half",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links, combining",
        .cost = "n rounds, work N n, volume n N/2 packets",
        .source = "Kumar et al. ch. 4.5.3; model section 7",
        .misfit = misfit_alltoall_exchange,
        .make = make_alltoall_exchange,
        .expect = expect_alltoall_exchange,
    }};
}

}  // namespace kport
