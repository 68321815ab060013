/// @file sbt.cpp   Scatter down the spanning binomial tree of the hypercube (model.md section 5.1).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The nodes with v's bits 0 .. d-1: the subtree of a node that was reached across dimension d - 1.
Progression agreeing_below(const Hypercube& cube, NodeId v, int d) {
    const NodeId stride = NodeId{1} << d;
    return {static_cast<std::uint32_t>(v % stride), static_cast<std::uint32_t>(stride),
            static_cast<std::uint32_t>(cube.nodes() / stride)};
}

/// One-to-all scatter down the spanning binomial tree.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, combining
/// Gives     every node holds its own packet
/// Costs     rounds n, work N - 1, path sum n, volume N - 1 packets with one port
/// Idea      Send all packets for the half behind each higher dimension across it; the bundle halves every time.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.4; model.md section 5.1
Program scatter_down_sbt(Node& self, const Hypercube& cube, NodeId root) {
    const std::uint64_t m = self.collective().packets_each;
    int arrived_by = -1;
    if (self.id() != root) {
        const Arrival arrival = co_await self.receive();
        arrived_by = cube.dimension_of(arrival.port);
    }
    for (int d = arrived_by + 1; d < cube.dimensions(); ++d) {
        const NodeId child = self.id() ^ (NodeId{1} << d);
        co_await self.pass(cube.port(d), packets_of(agreeing_below(cube, child, d + 1), m));
    }
}

std::optional<std::string> misfit_scatter_sbt(const Machine& machine, const Collective&,
                                              const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_combining(machine), takes_no_options(options)});
}

Start make_scatter_sbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    const NodeId root = collective.root;
    return {[topology = machine.topology, cube, root](Node& self) { return scatter_down_sbt(self, *cube, root); },
            {root}};
}

ExpectedCost expect_scatter_sbt(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes - 1,
        n,
        nodes - 1,
        {machine.widest() == 1
             ? fmt::format("in round i every holder sends across dimension i: {}", counted(n, "round"))
             : fmt::format("the farthest node is {} away, however many ports a holder uses: {}", counted(n, "link"),
                           counted(n, "round")),
         fmt::format("the largest bundle of round i has 2^({}-i) packets: volume {}", n, counted(nodes - 1, "packet")),
         fmt::format("every node but the root receives one message, over one link: work {}", nodes - 1)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_sbt() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "sbt",
            .rule = "spanning binomial tree: send all packets for the nodes behind each higher dimension across it",
            .needs = "hypercube, SF or WH, any k, combining",
            .cost = "n rounds, path sum n, volume N-1 packets",
            .source = "Kumar et al. ch. 4.4; model section 5.1",
            .misfit = misfit_scatter_sbt,
            .make = make_scatter_sbt,
            .expect = expect_scatter_sbt,
        },
        Operation::gather);
}

}  // namespace kport
