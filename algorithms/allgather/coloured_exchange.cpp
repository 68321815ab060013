/// @file coloured_exchange.cpp   All-to-all broadcast across the links of one colour after the other (model.md section 7).
#include "algorithms/support/coloured_exchange.hpp"
#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/planned.hpp"

namespace kport {

namespace {

/// All-to-all broadcast, planned.
///
/// Machine   any graph, store-and-forward or wormhole, any k, pairwise or not, full duplex ports and links, combining
/// Gives     every node holds all N packets
/// Costs     measured: few rounds where few colours do and the diameter is short, many on trees of high degree
/// Idea      Rounds take the colours of the links by turns; the ends of each link of the colour send all that the other lacks.
///           A node has one partner a round, so no packet comes twice. On hypercubes this is exchange, on lines odd-even.
/// Source    Liestman, Richards; Labahn, Hedetniemi, Laskar: periodic gossiping; model.md section 7
Start make_allgather_coloured_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    Collective allgather = collective;
    allgather.operation = Operation::allgather;  // a reduce-scatter asks for it too, to reverse it
    return following(planned_allgather(*machine.topology, collective.packets_each), machine, allgather);
}

PlanSize plan_of_allgather_coloured_exchange(const Machine& machine, const Collective&) {
    return size_of_coloured_exchange(*machine.topology, false);
}

ExpectedCost expect_allgather_coloured_exchange(const Machine& machine, const Collective& collective,
                                                const AlgorithmOptions&) {
    return expect_coloured_exchange(planned_allgather, plan_of_allgather_coloured_exchange(machine, collective),
                                    machine.topology->nodes() - 1, machine, collective);
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_coloured_exchange() {
    return with_reversal(
        {
            .operation = Operation::allgather,
            .name = "coloured-exchange",
            .rule = "the ends of the links of one colour, by turns, send each other all that the other lacks",
            .needs = "any graph, SF or WH, any k, pairwise or not, full duplex ports and links, combining",
            .cost = "measured; n rounds on hypercubes, N/2 on even rings, those of odd-even on lines",
            .source = "Liestman, Richards 1993 (periodic gossiping); model section 7",
            .misfit = misfit_coloured_exchange,
            .make = make_allgather_coloured_exchange,
            .expect = expect_allgather_coloured_exchange,
            .plan = plan_of_allgather_coloured_exchange,
            .single_links = true,
        },
        Operation::reduce_scatter);
}

}  // namespace kport
