/// @file coloured_exchange.cpp   All-to-all scatter across the links of one colour after the other (model.md section 7).
#include "algorithms/support/coloured_exchange.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/planned.hpp"

namespace kport {

namespace {

/// All-to-all scatter, planned.
///
/// Machine   any graph, store-and-forward or wormhole, any k, pairwise or not, full duplex ports and links, combining
/// Gives     node v holds the packets addressed to v
/// Costs     measured: few rounds where few colours do and the diameter is short, many on trees of high degree
/// Idea      Rounds take the colours of the links by turns; a packet takes the way that its origin's packet takes in the
///           allgather: same rounds.
/// Source    Liestman, Richards; Labahn, Hedetniemi, Laskar: periodic gossiping; model.md section 7
Start make_alltoall_coloured_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(planned_alltoall(*machine.topology, collective.packets_each), machine, collective);
}

PlanSize plan_of_alltoall_coloured_exchange(const Machine& machine, const Collective&) {
    return size_of_coloured_exchange(*machine.topology, true);
}

ExpectedCost expect_alltoall_coloured_exchange(const Machine& machine, const Collective& collective,
                                               const AlgorithmOptions&) {
    const std::uint64_t half = machine.topology->nodes() / 2;
    return expect_coloured_exchange(planned_alltoall, plan_of_alltoall_coloured_exchange(machine, collective),
                                    half * half, machine, collective);
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_coloured_exchange() {
    return {{
        .operation = Operation::alltoall,
        .name = "coloured-exchange",
        .rule = "as allgather coloured-exchange: a packet takes the way of its origin's packet to its target",
        .needs = "any graph, SF or WH, any k, pairwise or not, full duplex ports and links, combining",
        .cost = "measured; n rounds on hypercubes, N/2 on even rings, those of odd-even on lines",
        .source = "Liestman, Richards 1993 (periodic gossiping); model section 7",
        .misfit = misfit_coloured_exchange,
        .make = make_alltoall_coloured_exchange,
        .expect = expect_alltoall_coloured_exchange,
        .plan = plan_of_alltoall_coloured_exchange,
        .single_links = true,
    }};
}

}  // namespace kport
