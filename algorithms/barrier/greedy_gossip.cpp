/// @file greedy_gossip.cpp   Barrier: in each round the signals that tell the most.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

/// Barrier, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not
/// Gives     every node knows that all have entered
/// Costs     measured
/// Idea      The calls of allgather greedy-gossip; each tells all that its sender knows.
/// Source    Hedetniemi, Hedetniemi, Liestman 1988 (gossiping); docs/search.md
std::vector<Algorithm> algorithms_in_barrier_greedy_gossip() {
    return {{
        .operation = Operation::barrier,
        .name = "greedy-gossip",
        .rule = "the calls of allgather greedy-gossip; each signal tells all that its sender knows",
        .needs = "any graph of moderate size, SF or WH, any k, any duplex",
        .cost = "measured",
        .source = "Hedetniemi, Hedetniemi, Liestman 1988 (gossiping)",
        .misfit = misfit_gossip,
        .make = make_gossip,
        .expect = expect_gossip,
        .plan = size_of_gossip,
        .single_links = true,
    }};
}

}  // namespace kport
