/// @file exchange.cpp   All-reduce by exchange on the hypercube (model.md section 6 (ii)).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/cube_exchange.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

ExpectedCost expect_allreduce_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes * n,
        n,
        n,
        {fmt::format("in each of {} phases all nodes exchange one partial result across a dimension: {}", n,
                     counted(n, "round")),
         fmt::format("{} of {} bytes over one link each: work {} * {} = {}", counted(nodes * n, "message"),
                     collective.packet_bytes, nodes, n, nodes * n),
         fmt::format("a reduction and a broadcast need 2 * {} rounds, but no node sends and receives in the same round",
                     n)}};
}

}  // namespace

/// All-reduce: every node gets the combination of all contributions.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two
/// Gives     every node holds the fold of all contributions in the order of the nodes
/// Costs     rounds n, work N n, path sum n, volume n packets
/// Idea      In phase i partners across dimension i exchange their partial results, those of two neighbouring blocks of
///           2^i nodes. The lower block stands left.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.3; model.md section 6 (ii)
std::vector<Algorithm> algorithms_in_allreduce_exchange() {
    return {{
        .operation = Operation::allreduce,
        .name = "exchange",
        .rule = "partners across each dimension exchange and fold their values",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links",
        .cost = "n rounds, work N n, volume n packets",
        .source = "Kumar et al. ch. 4.3; model section 6 (ii)",
        .misfit = misfit_cube_exchange,
        .make = make_cube_exchange,
        .expect = expect_allreduce_exchange,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    }};
}

}  // namespace kport
